import type { MenuItemConstructorOptions } from 'electron';
import { Menu } from 'electron';

/** The words of the menu; main has two languages, taken from the same setting as the window. */
export interface MenuWords {
  file: string;
  newRun: string;
  openWorkspace: string;
  computers: string;
  settings: string;
  edit: string;
  view: string;
  help: string;
  shortcuts: string;
  diagnostics: string;
  about: string;
}

export const menuWords: Record<'en' | 'zh', MenuWords> = {
  en: {
    file: 'File',
    newRun: 'New run',
    openWorkspace: 'Open workspace…',
    computers: 'Computers',
    settings: 'Settings',
    edit: 'Edit',
    view: 'View',
    help: 'Help',
    shortcuts: 'Keyboard shortcuts',
    diagnostics: 'Save diagnostics…',
    about: 'About Waymark',
  },
  zh: {
    file: '文件',
    newRun: '新建运行',
    openWorkspace: '打开工作区…',
    computers: '计算机',
    settings: '设置',
    edit: '编辑',
    view: '视图',
    help: '帮助',
    shortcuts: '键盘快捷键',
    diagnostics: '保存诊断信息…',
    about: '关于 Waymark',
  },
};

/** Menu items name window commands; `send` hands them to the window. */
export function installMenu(words: MenuWords, send: (command: string) => void): void {
  const item = (label: string, command: string, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    click: () => send(command),
    ...(accelerator ? { accelerator } : {}),
  });
  const template: MenuItemConstructorOptions[] = [
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' } as const] : []),
    {
      label: words.file,
      submenu: [
        item(words.newRun, 'run.new', 'CmdOrCtrl+N'),
        item(words.openWorkspace, 'workspace.choose', 'CmdOrCtrl+O'),
        { type: 'separator' },
        item(words.computers, 'computers.open'),
        item(words.settings, 'settings.open', 'CmdOrCtrl+,'),
        { type: 'separator' },
        { role: process.platform === 'darwin' ? 'close' : 'quit' },
      ],
    },
    { label: words.edit, role: 'editMenu' },
    {
      label: words.view,
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    {
      label: words.help,
      submenu: [
        item(words.shortcuts, 'shortcuts.open'),
        item(words.diagnostics, 'diagnostics.save'),
        { type: 'separator' },
        item(words.about, 'about.open'),
      ],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
