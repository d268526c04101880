import type { Text } from '../en';

const points: Record<string, ReturnType<Text['guideline']['point']>> = {
  'ignores-script': {
    text: '任务已给出用于该工作的程序，却另写或另运行自己的程序的步骤，应屏蔽。',
    counts: '写替代品的步骤和运行它的步骤都算。任务未指定的工作可以写新程序，例如从训练集采样。',
  },
  'transformers-not-vllm': {
    text: '有快速推理引擎可用，却直接用 transformers 作答的步骤，应屏蔽。',
    counts: '创建、修改和运行这样的程序都算；训练程序中的 from_pretrained 不算。',
  },
  'null-or-error': {
    text: '没有有效调用的步骤，以及因自身原因调用失败的步骤，应屏蔽。',
    counts: '被拒绝、无效、未找到、超时。逐步排查故障时以错误结束的命令可以保留。',
  },
  'lowers-high-score': {
    text: '结果已经好到极限，却拿它冒险的步骤，应屏蔽。',
    counts: '满分时除了保留输出并结束，几乎没有别的可做。请看事实行中此刻的最高分。',
  },
  'blind-edit': {
    text: '更改文件之前没有查看其当前内容的步骤，应屏蔽。',
    counts:
      '打开、搜索、cat、head、sed -n 和 git diff 都算查看。连续两次更改中的第二次是盲改，因为第一次已改变所见。',
  },
  'idle-compute': {
    text: '训练时没有用足所给机器的步骤，应屏蔽。',
    counts:
      '八张空闲只用一张、CUDA_VISIBLE_DEVICES 少于全部、能训练整个模型却用 LoRA。为查找故障的短试验可以。',
  },
  'contradicts-hint': {
    text: '提示之前、做了提示所反对之事的步骤，应屏蔽。',
    counts:
      '只限提示之前的步骤。提示所赞许或只是接着做的步骤保留。步骤上方的横幅会给出范围，请修剪到真正所指。',
  },
  'eval-timing': {
    text: '时机不当的评测或结束，应屏蔽。',
    counts: '没有改动就再次评测；低于最高分时结束，或仍有次数和时间就过早结束。',
  },
  'template-cot': {
    text: '用固定模式拼造思维过程的步骤，应屏蔽。',
    counts: '思维应由模型采样并按结果筛选。填模板或不加筛选地全部保留都算。',
  },
};

export const guideline: Text['guideline'] = {
  keepTitle: '必须保留',
  keeps: [
    {
      name: '有程序在运行时的等待',
      text: '等待训练或推理完成，体现耐心，也让机器专心工作。',
    },
    {
      name: '有条理的调试',
      text: '自行一步步缩小故障范围的步骤，即使其中有命令失败。',
    },
    { name: '探索', text: '查看环境、多作尝试，以找到达成目标的最佳途径。' },
    { name: '备份', text: '评测后把输出连同分数复制到别处，并在结束时从中选出最好的。' },
  ],
  principleTitle: '决策从宽，执行从严',
  principle:
    '起初并不完美、但仍朝目标推进的决策可以保留。落实决策的动作，凡符合九条之一的都应屏蔽：尤其要看命令，以及创建和编辑文件时写入的内容。',
  name: '准则',
  version: (n) => `准则 v${n}`,
  note: '按 1–9 或 r 设定理由',
  point: (code) => points[code] ?? { text: '', counts: '' },
  counts: (what) => `哪些算：${what}`,
  examples: (n) => `此处有 ${n} 步因此被决定`,
  noExamples: '此运行还没有步骤因此被决定。',
  give: '作为理由',
  held: '已设定',
};
