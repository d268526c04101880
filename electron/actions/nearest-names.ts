import { editDistance } from '@shared/base/edit-distance';

/** Most names that are proposed. */
const most = 3;
/** Names less alike than this are not near. */
const alike = 0.45;

/** What models call these actions elsewhere, by word, nearest first. */
const meant: Readonly<Record<string, readonly string[]>> = {
  bash: ['run_command'],
  cat: ['open_file'],
  cd: ['run_command'],
  edit: ['edit_file'],
  evaluate: ['eval'],
  exec: ['run_command'],
  execute: ['run_command'],
  glob: ['find_file', 'list_files'],
  grep: ['search_dir', 'search_file'],
  kill: ['kill_session_processes', 'close_session'],
  ls: ['list_files'],
  patch: ['edit_file'],
  python: ['run_command'],
  read: ['open_file'],
  replace: ['edit_file'],
  run: ['run_command'],
  search: ['search_dir', 'search_file', 'find_file'],
  shell: ['run_command', 'create_session'],
  status: ['get_session_status', 'check_session_idle'],
  stop: ['kill_session_processes', 'finish'],
  submit: ['eval', 'finish'],
  terminal: ['run_command', 'get_session_output'],
  view: ['open_file'],
  wait: ['sleep'],
  write: ['create_file', 'edit_file'],
};

/** Up to three of `names` that `name` most likely stands for; at least one, if there is any. */
export function nearestNames(name: string, names: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  const words = wanted.split(/[^a-z0-9]+/).filter((word) => word !== '');
  const known = words.flatMap((word) => (Object.hasOwn(meant, word) ? (meant[word] ?? []) : []));
  const ranked = names
    .map((each) => {
      const shared = each.split('_').filter((word) => words.includes(word)).length;
      const place = known.indexOf(each);
      const similar = 1 - editDistance(wanted, each) / Math.max(wanted.length, each.length);
      return { each, near: (place < 0 ? 0 : 2 - place / 10) + shared * 0.5 + similar };
    })
    .sort((a, b) => b.near - a.near);
  const near = ranked.filter((entry) => entry.near >= alike).slice(0, most);
  return (near.length > 0 ? near : ranked.slice(0, 2)).map(({ each }) => each);
}
