import type { HostPromptView } from '@shared/contract/computers';
import type { BrowserWindow } from 'electron';
import { dialog, shell } from 'electron';
import type { RemotePlace } from '../remote/remote-desk';
import { type Confirm, nativeConfirm } from './confirmation';
import type { KeyMove } from './endpoint-changes';

/** The words of the system dialogs main shows, in the two languages of the window. */
export interface DialogWords {
  openWorkspace: string;
  addTask: string;
  exportTo: string;
  chooseTokenizer: string;
  importRun: string;
  createTaskIn: string;
  /** Folders for a run to see. */
  showToRead: string;
  showToChange: string;
  saveDiagnostics: string;
  mergeLabels: string;
  exportLabels: string;
  savePlot: string;
  restoreTo: string;
  openLink: string;
  open: string;
  cancel: string;
  trustTitle: string;
  /** What it may do then, under its folder. */
  trustDetail: string;
  trust: string;
  quitTitle: (runs: number) => string;
  quitDetail: string;
  pauseAndQuit: string;
  stay: string;
  stillDriving: (runs: number) => string;
  onBattery: string;
  stoodStill: (minutes: number) => string;
  hostAsks: (name: string) => string;
  keyMoves: string;
  keyMovesDetail: (move: KeyMove) => string;
  sendKey: string;
  trustHost: (alias: string) => string;
  record: string;
  openRemote: (alias: string) => string;
  unisolated: string;
  /** What an agent can reach; `server`: null for this computer. `why`: '' when it was chosen. */
  unisolatedDetail: (server: string | null, why: string) => string;
  startUnisolated: string;
}

export const dialogWords: Record<'en' | 'zh', DialogWords> = {
  en: {
    openWorkspace: 'Open workspace',
    addTask: 'Add task package',
    exportTo: 'Export dataset into an empty folder',
    chooseTokenizer: 'Choose the folder of a model with its tokenizer and chat template',
    importRun: 'Import a run',
    createTaskIn: 'Create task package in',
    showToRead: 'Choose a folder that the run may read',
    showToChange: 'Choose a folder that the run may read and change',
    saveDiagnostics: 'Save diagnostics',
    mergeLabels: 'Merge labels of another workspace',
    exportLabels: 'Save all labels as a file',
    savePlot: 'Save as a file',
    restoreTo: 'Name a new folder to restore into',
    openLink: 'Open this address in the browser?',
    open: 'Open',
    cancel: 'Cancel',
    trustTitle: 'Trust this workspace and work in it?',
    trustDetail:
      "It is a copy, or it belongs to someone else. If you trust it, its runs can use the models in your settings, connect to the hosts named in its log, and run its agents' commands and its tasks' set-up and evaluators under your account.",
    trust: 'Trust',
    quitTitle: (runs) => (runs === 1 ? 'A run is being driven here.' : `${runs} runs are being driven here.`),
    quitDetail:
      'Commands that already run in terminals keep running. The agent continues when the run is resumed.',
    pauseAndQuit: 'Pause after this step and quit',
    stay: 'Stay',
    stillDriving: (runs) =>
      `Waymark keeps driving ${runs === 1 ? 'one run' : `${runs} runs`} without a window. Start it again to follow.`,
    onBattery: 'This machine is running on battery while it drives a run.',
    stoodStill: (minutes) => `This machine slept. The agent was suspended for ${minutes} min.`,
    hostAsks: (name) => `${name} needs your answer before it can be reached.`,
    keyMoves: 'May this key go to another address?',
    keyMovesDetail: ({ variable, endpoint, from, to }) =>
      [
        variable === '' ? `The key kept for ${endpoint}` : `The environment variable ${variable}`,
        `Until now sent to: ${from.join(', ') || 'nobody'}`,
        `From now on to: ${to}`,
        '',
        'Anyone who runs that address can read and use it. Say yes only if you made this change yourself.',
      ].join('\n'),
    sendKey: 'Send it there',
    trustHost: (alias) => `Record this key as the key of ${alias}?`,
    record: 'Trust and record',
    openRemote: (alias) => `Start this program on ${alias} and show its workspace?`,
    unisolated: 'Let this run work without isolation?',
    unisolatedDetail: (server, why) =>
      [
        `The agent's commands would not be isolated from the rest of ${server === null ? 'this computer' : `the server ${server}`}. They run under your account. They can`,
        '• read, change and delete all your files',
        '• read keys and passwords that programs store there, such as your ssh keys',
        '• see and end your programs, and use your ssh agent and your desktop',
        '• change other runs, the log and the evaluator of this workspace',
        '• use the network, whatever the task says',
        ...(why === '' ? [] : ['', `Why it would not be isolated: ${why}`]),
      ].join('\n'),
    startUnisolated: 'Continue without isolation',
  },
  zh: {
    openWorkspace: '打开工作区',
    addTask: '添加任务包',
    exportTo: '将数据集导出到空文件夹',
    chooseTokenizer: '选择包含分词器和聊天模板的模型文件夹',
    importRun: '导入运行',
    createTaskIn: '创建任务包的位置',
    showToRead: '选择运行可以读取的文件夹',
    showToChange: '选择运行可以读取和修改的文件夹',
    saveDiagnostics: '保存诊断信息',
    mergeLabels: '合并另一个工作区的标注',
    exportLabels: '将所有标注保存为文件',
    savePlot: '保存为文件',
    restoreTo: '为恢复的数据命名新文件夹',
    openLink: '要在浏览器中打开此地址吗？',
    open: '打开',
    cancel: '取消',
    trustTitle: '信任此工作区并在其中工作？',
    trustDetail:
      '它是副本，或属于他人。信任之后，其中的运行可以使用你设置中的模型、连接其日志中指定的主机，并以你的身份运行其智能体的命令以及其任务的准备和评测程序。',
    trust: '信任',
    quitTitle: (runs) => `此处正在驱动 ${runs} 个运行。`,
    quitDetail: '终端中已启动的命令会继续运行。恢复运行后，智能体将继续。',
    pauseAndQuit: '完成当前步骤后暂停并退出',
    stay: '留下',
    stillDriving: (runs) => `Waymark 在没有窗口的情况下继续驱动 ${runs} 个运行。再次启动即可查看。`,
    onBattery: '此机器正在使用电池驱动运行。',
    stoodStill: (minutes) => `此机器曾休眠。智能体停顿了 ${minutes} 分钟。`,
    hostAsks: (name) => `${name} 需要你的回答才能连接。`,
    keyMoves: '允许将此密钥发送到另一个地址吗？',
    keyMovesDetail: ({ variable, endpoint, from, to }) =>
      [
        variable === '' ? `为 ${endpoint} 保存的密钥` : `环境变量 ${variable}`,
        `此前发送到：${from.join('、') || '无'}`,
        `今后发送到：${to}`,
        '',
        '该地址的服务器能够读取并使用它。只有在你本人做了此更改时才应同意。',
      ].join('\n'),
    sendKey: '发送到该地址',
    trustHost: (alias) => `要将此密钥记录为 ${alias} 的密钥吗？`,
    record: '信任并记录',
    openRemote: (alias) => `要在 ${alias} 上启动此程序并显示其中的工作区吗？`,
    unisolated: '允许此运行在不隔离的情况下工作吗？',
    unisolatedDetail: (server, why) =>
      [
        `智能体在${server === null ? '此计算机' : `服务器 ${server} `}上运行的程序将不受任何隔离。其命令以你的身份运行，可以：`,
        '• 读取、修改和删除你的所有文件',
        '• 读取程序保存的密钥和密码，例如 ssh 密钥',
        '• 查看和结束你的程序，使用你的 ssh agent 和桌面',
        '• 更改其他运行、日志以及此工作区的评测程序',
        '• 使用网络，无论任务如何规定',
        ...(why === '' ? [] : ['', `无法隔离的原因：${why}`]),
      ].join('\n'),
    startUnisolated: '不隔离，继续',
  },
};

/** The system's dialogs over one window. */
export class Dialogs {
  private readonly window: () => BrowserWindow | null;
  private readonly words: () => DialogWords;
  private readonly acted: () => void;
  private choosing = false;
  /** For what the page may not decide by itself. */
  readonly confirm: Confirm;

  /** `acted` hears each time that a person chose or said yes. */
  constructor(window: () => BrowserWindow | null, words: () => DialogWords, acted: () => void) {
    this.window = window;
    this.words = words;
    this.acted = acted;
    const ask = nativeConfirm(window, () => words().cancel);
    this.confirm = async (question) => {
      const yes = await ask(question);
      if (yes) acted();
      return yes;
    };
  }

  /** Whether the key that a host shows for the first time is recorded as its own. */
  trustHostKey(prompt: HostPromptView): Promise<boolean> {
    const words = this.words();
    return this.confirm({
      message: words.trustHost(prompt.alias),
      detail: [
        prompt.via === null ? prompt.target : `${prompt.target} (${prompt.via})`,
        `${prompt.key?.type ?? ''} ${prompt.key?.sha256 ?? ''}`,
        prompt.key?.file ?? '',
      ].join('\n'),
      yes: words.record,
    });
  }

  /** Whether a run works without isolation. */
  mayRunUnisolated(server: string | null, why: string): Promise<boolean> {
    const words = this.words();
    return this.confirm({
      message: words.unisolated,
      detail: words.unisolatedDetail(server, why),
      yes: words.startUnisolated,
    });
  }

  /** Whether a program is started on a host to show a workspace there. */
  openRemote({ alias, folder, command }: RemotePlace): Promise<boolean> {
    const words = this.words();
    return this.confirm({
      message: words.openRemote(alias),
      detail: `${command} serve\n${folder}`.trim(),
      yes: words.open,
    });
  }

  /** One dialog for paths at a time; what is asked meanwhile counts as cancelled. */
  private async choose(ask: (window: BrowserWindow) => Promise<string | null>): Promise<string | null> {
    const window = this.window();
    if (window === null || this.choosing) return null;
    this.choosing = true;
    try {
      const path = await ask(window);
      if (path !== null) this.acted();
      return path;
    } finally {
      this.choosing = false;
    }
  }

  /** An existing or new folder; null = cancelled. */
  folder(
    title:
      | 'openWorkspace'
      | 'addTask'
      | 'exportTo'
      | 'chooseTokenizer'
      | 'createTaskIn'
      | 'showToRead'
      | 'showToChange',
  ): Promise<string | null> {
    return this.choose(async (window) => {
      const answer = await dialog.showOpenDialog(window, {
        title: this.words()[title],
        properties: ['openDirectory', 'createDirectory'],
      });
      return answer.canceled ? null : (answer.filePaths[0] ?? null);
    });
  }

  /** Something to read: one JSON file, or a folder of them; null = cancelled. */
  source(title: 'importRun' | 'mergeLabels', what: 'file' | 'folder'): Promise<string | null> {
    const filter =
      title === 'importRun'
        ? { name: 'JSON', extensions: ['json'] }
        : { name: 'JSONL, DB', extensions: ['jsonl', 'db'] };
    return this.choose(async (window) => {
      const answer = await dialog.showOpenDialog(window, {
        title: this.words()[title],
        properties: [what === 'file' ? 'openFile' : 'openDirectory'],
        ...(what === 'file' ? { filters: [filter] } : {}),
      });
      return answer.canceled ? null : (answer.filePaths[0] ?? null);
    });
  }

  saveFile(
    name: string,
    title: 'saveDiagnostics' | 'savePlot' | 'exportLabels' | 'restoreTo' = 'saveDiagnostics',
  ): Promise<string | null> {
    return this.choose(async (window) => {
      const answer = await dialog.showSaveDialog(window, {
        title: this.words()[title],
        defaultPath: name,
      });
      return answer.canceled ? null : (answer.filePath ?? null);
    });
  }

  /** Selects a file in the system's file manager. Nothing is opened, whatever lies there. */
  showFile(path: string): void {
    shell.showItemInFolder(path);
  }

  /** Shows the whole address and opens it only after a yes; http and https only. */
  async openExternal(url: string): Promise<void> {
    if (!/^https?:\/\//i.test(url)) return;
    const words = this.words();
    // As the browser will read it: look-alike letters of a host name show as what they are.
    const address = new URL(url).href;
    if (await this.confirm({ message: words.openLink, detail: address, yes: words.open }))
      await shell.openExternal(address);
  }

  /** True = a workspace from elsewhere may be worked in. */
  confirmTrust(folder: string): Promise<boolean> {
    const { trustTitle: message, trustDetail, trust: yes } = this.words();
    return this.confirm({ message, detail: `${folder}\n\n${trustDetail}`, yes });
  }

  /** Whether a key may go to another address than before; no page can answer. */
  confirmKeyMove(move: KeyMove): Promise<boolean> {
    const words = this.words();
    return this.confirm({ message: words.keyMoves, detail: words.keyMovesDetail(move), yes: words.sendKey });
  }

  /** True = pause after this step and quit. */
  async confirmQuit(runs: number): Promise<boolean> {
    const words = this.words();
    const options = {
      type: 'warning' as const,
      message: words.quitTitle(runs),
      detail: words.quitDetail,
      buttons: [words.stay, words.pauseAndQuit],
      defaultId: 0,
      cancelId: 0,
    };
    const window = this.window();
    const { response } = window
      ? await dialog.showMessageBox(window, options)
      : await dialog.showMessageBox(options);
    return response === 1;
  }
}
