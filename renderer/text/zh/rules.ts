import type { RuleId } from '@shared/contract/rules/rule-settings';
import type { MachinePrecedence } from '@shared/labels/labels';

const n = (count: number) => count.toLocaleString('zh-CN');

const says: Record<RuleId, string> = {
  'error-observation': '动作本身失败。',
  null: '回答里没有有效的调用。',
  'command-failed': '命令的退出码不为 0，且不是它要问的答案。',
  'blind-edit': '修改了自上次改动后没有看过的文件。',
  'blind-edit-strict': '修改了上一步没有读过的文件。',
  'eval-without-change': '自上次评测以来，被评测的内容没有变化。',
  'finish-below-best': '结束时的结果比曾经得到的差。',
  'provided-script-ignored': '写了并运行了所给脚本的近似副本。',
  'framework-forbidden': '写入、安装或运行了任务禁止的代码。',
  'idle-gpus': '训练用的 GPU 少于现有数量，或只训练适配器。',
  'action-at-full-score': '已得满分仍继续改动，或使高分下降。',
  'template-thought': '代码用固定句式拼出推理。',
  'imitates-human': '回答或其输出中含有真人提示的标签。',
  'keep-summary': '已被接受的摘要。',
  'keep-sleep-while-training': '自己的训练或推理运行时等待。',
  'keep-debugging': '失败后查明原因，之后成功。',
  'keep-backup': '评测后备份输出，或放回备份。',
  'keep-exploration': '开始时的查看，或查看新的地方。',
};

const detectors: Record<string, string> = {
  contention: '两个作业占用同一个 GPU',
  early_finish: '过早结束',
  forgotten_session: '被遗忘的会话',
  impatience: '缺乏耐心',
  repeated_action: '重复的动作',
  template_thought: '套话式思考',
};

const parameters: Record<string, string> = {
  early_steps: '算作开始的步数',
  frameworks: '禁止的框架',
  full_score: '满分',
  high_score: '高分线',
  full_training: '这里可以训练全部权重',
  grace_steps: '等待另一个作业的步数',
  jobs: '训练或推理的命令',
  outputs: '输出路径',
  own_purpose: '另有用途的代码',
  scripts: '所给的脚本',
  seen: '包括智能体遇到的脚本',
  taken_mb: 'GPU 算作被占用的显存 (MB)',
  tolerance: '允许降低的分数',
  training_commands: '训练的命令',
  trial: '只是试运行的命令',
  within_steps: '直到成功的步数',
};

export const rules = {
  title: (task: string) => (task === '' ? '规则' : `${task} 的规则`),
  noRun: '打开一个运行即可看到其任务的规则。',
  hard: '硬屏蔽：只有人能解除，并须给出理由',
  soft: '软屏蔽',
  keep: '保留：优先于软屏蔽',
  detectors: '智能体的习惯（不是标注）',
  detectorName: (kind: string) => detectors[kind] ?? kind,
  says,
  count: (count: number) => `${n(count)} 步`,
  version: (id: string, version: number) => `${id} v${version}`,
  details: '详情',
  detailsOf: (name: string) => `${name} 的详情`,
  parameter: (name: string) => parameters[name] ?? name,
  onePerLine: '每行一个；表达式不区分大小写。',
  wrong: '这个值不合适。',
  precedence: '规则与评判模型',
  precedenceHelp: '机器意见如何合并。人的决定始终优先。',
  precedences: {
    union: '任何屏蔽都算数',
    judge_over_rule: '评判模型优先于软规则',
  } satisfies Record<MachinePrecedence, string>,
  preview: '会有什么变化',
  allRuns: (count: number) => `查看该任务的全部 ${n(count)} 个运行`,
  nothing: '改动上面的设置，即可看到效果。',
  working: '正在计算…',
  noLabels: '没有标注会改变。',
  labelsChange: (mask: number, train: number, undecided: number) =>
    `标注：${n(mask)} 个变为屏蔽，${n(train)} 个变为训练，${n(undecided)} 个变为未决定。`,
  columns: ['规则', '新增', '消失', '新增的现状', '与人不同', '步骤'],
  byNow: (train: number, mask: number, undecided: number) =>
    `训练 ${n(train)}，屏蔽 ${n(mask)}，未决定 ${n(undecided)}`,
  goTo: (step: number) => `转到第 ${step} 步`,
  more: (count: number) => `另有 ${n(count)} 个`,
  deriving: (runs: number, done: number, total: number) =>
    `正在重新推导 ${n(runs)} 个运行：${n(done)} / ${n(total)} 个事件。`,
  asTask: '按任务的规定。',
  setBy: (author: string, when: string) => `由 ${author} 设置，${when}。`,
  clear: '恢复任务的规定',
  apply: '应用于该任务的所有运行',
  applied: '规则已设置；标注随之更新',
};
