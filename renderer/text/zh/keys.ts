import type { KeyKeeping } from '@shared/contract/ipc/application';
import type { Text } from '../en';

const kept: Record<KeyKeeping['kept'], string> = {
  store: '密钥保存在系统密钥库中。',
  file: '密钥保存在以口令加密的文件中，Waymark 退出前保持打开。',
  locked: '密钥保存在以口令加密的文件中，目前已锁定。',
  memory: '本系统没有密钥库：密钥保存在内存中，直到 Waymark 退出。',
};

export const keys: Text['keys'] = {
  kept: '模型密钥',
  keptIn: (where) => kept[where],
  known: (names) => (names === '' ? '尚未设置密钥。' : `已设置：${names}。`),
  passphrase: '口令',
  newPassphrase: '新口令',
  repeat: '再输一次',
  beginHelp: '设置口令后，密钥保存在加密文件中，Waymark 退出后仍在。口令至少 8 个字符，无法找回。',
  differ: '两次口令不一致。',
  unlock: '解锁密钥',
  begin: '用口令保护密钥',
  lock: '锁定密钥',
  unlocked: '密钥已解锁',
  locked: '密钥已锁定',
  missingTitle: (endpoint) => `缺少 ${endpoint} 的密钥`,
  missingText: '运行在下一次请求前暂停，没有丢失任何内容。',
  keyOf: (endpoint) => `${endpoint} 的密钥`,
  keyHelp: '与其他密钥一起保存，不会再次显示。',
  fromVariable: (name) => `此端点从变量 ${name} 取密钥。请设置它并重启 Waymark，或在设置中清空该栏。`,
  isKnown: '密钥现已可用。',
  giveAndResume: '保存密钥并继续',
  unlockAndResume: '解锁并继续',
  resume: '继续',
};
