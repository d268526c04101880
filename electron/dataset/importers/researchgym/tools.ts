import type { Tool } from '@shared/log/event-parts';

/**
 * One tool: its arguments as `name:type`, with `!` where the program requires it. What ResearchGym is known to offer its agents: names, arguments, types and which are required as in the program that its
 * authors published (InnovatorBench, appendix F); the sentences are ours. Its files do not say what one run was offered.
 */
type Row = readonly [name: string, params: string, description: string];

const SESSION = 'computer_ip:string! session_id:string!';
const LINK = 'http_port:integer! use_proxy:boolean!';

/** Going through what is open, a file or a page. */
const moving = (tool: 'file' | 'web_page', what: 'file' | 'page'): readonly Row[] => [
  [`${tool}_goto_line`, 'line_number:integer!', `Shows the lines around a line of the open ${what}.`],
  [`${tool}_scroll_down`, '', `Shows the next 100 lines of the open ${what}.`],
  [`${tool}_scroll_up`, '', `Shows the 100 lines before in the open ${what}.`],
];

/** Its default configuration. */
const USUAL: readonly Row[] = [
  [
    'run_command',
    `computer_ip:string! command:string! session_id:string! http_port:integer! wait_for_completion:boolean! use_proxy:boolean!`,
    'Runs a shell command in a session; without waiting it continues in the background.',
  ],
  [
    'edit_file',
    'path:string! start:integer! end:integer! content:string!',
    'Replaces the lines from start to end of a file by the content.',
  ],
  ['create_session', `${SESSION} ${LINK}`, 'Opens a session on a computer.'],
  ['list_sessions', 'computer_ip:string!', 'Lists the sessions of one computer or of all.'],
  ['input_in_session', `${SESSION} input_text:string!`, 'Types text into a session.'],
  [
    'get_session_output',
    `${SESSION} start_lines:integer! end_lines:integer since_timestamp:number`,
    'Shows lines of the output of a session, counted from its end, or those since a time.',
  ],
  ['check_session_idle', SESSION, 'Says whether a session runs a command.'],
  ['clear_session_buffer', SESSION, 'Clears the output of a session.'],
  ['close_session', SESSION, 'Closes a session and ends what runs in it.'],
  ['close_all_sessions', 'computer_ip:string!', 'Closes the sessions of one computer or of all.'],
  ['kill_session_processes', `${SESSION} force:boolean!`, 'Ends the processes of a session.'],
  [
    'open_file',
    'path:string! line_number:integer! context_lines:integer!',
    'Opens a file and shows the lines around one of them.',
  ],
  ...moving('file', 'file'),
  ['create_file', 'filename:string! content:string!', 'Creates a file, or replaces one that exists.'],
  ['search_dir', 'search_term:string! dir_path:string!', 'Searches the files of a folder for a text.'],
  ['search_file', 'search_term:string! file_path:string!', 'Searches a file for a text.'],
  ['find_file', 'file_name:string! dir_path:string!', 'Finds files of a folder by name.'],
  ['list_files', 'path:string! show_hidden:boolean!', 'Lists what a folder holds.'],
  ['get_file_info', '', 'Says what the open file is.'],
  ['think', 'thought:string', 'Writes a thought down; nothing else happens.'],
  ['sleep', 'sleep_time:number!', 'Sleeps for the given number of seconds.'],
  ['parse_image', 'file_path:string! save_path:string! task:string', 'Describes an image in words.'],
  [
    'parse_video',
    'file_path:string! save_path:string! task:string frame_interval:integer',
    'Describes a video in words.',
  ],
  ['eval', '', 'Evaluates what has been made so far.'],
  ['finish', '', 'Ends the task.'],
];

/** Its configuration with a browser has these besides. */
const BROWSING: readonly Row[] = [
  ['web_search', 'query:string! top_k:integer', 'Searches the web.'],
  ['web_browse', 'url:string! line_number:integer', 'Opens a web page and shows lines of it.'],
  ...moving('web_page', 'page'),
  ['web_page_search', 'keyword:string! context_lines:integer', 'Searches the open page.'],
  [
    'web_page_search_next',
    'context_lines:integer search_index:integer',
    'Goes to another place that was found.',
  ],
  ['web_page_get_links', 'page_size:integer page_number:integer', 'Lists links of the open page.'],
];

/** In no configuration of its own, so a run that called one was given it. */
const OTHERS: readonly Row[] = [
  ['get_session_status', SESSION, 'Says how a session stands.'],
  ['get_session_recent_output', `${SESSION} seconds:integer!`, 'Shows the output of the last seconds.'],
  ['parse_pdf', 'file_path:string! save_path:string!', 'Makes text of a PDF file.'],
  ['parse_docx', 'file_path:string! save_path:string!', 'Makes text of a Word file.'],
  ['parse_latex', 'file_path:string! save_path:string!', 'Makes text of a LaTeX file.'],
  ['parse_pptx', 'file_path:string! save_path:string!', 'Makes text of a PowerPoint file.'],
  ['parse_audio', 'file_path:string! save_path:string! model:string', 'Makes text of a recording.'],
  ['view_hint', '', 'Shows the hint of the task.'],
];

const SUMMARISER: Row = [
  'internal_summarize',
  'summary_content:string!',
  'Keeps the summary of the work so far.',
];

/** The tools of a run by what it called: its default configuration, the browser where it used one, and what else it was given. */
export function gymTools(called: ReadonlySet<string>): Tool[] {
  const browses = BROWSING.some(([name]) => called.has(name));
  return [...USUAL, ...(browses ? BROWSING : []), ...OTHERS.filter(([name]) => called.has(name))].map(toolOf);
}

const made = new Map<Row, Tool>();

/** The same object each time: an export of many runs holds the tools of each. */
function toolOf(row: Row): Tool {
  const tool = made.get(row) ?? built(row);
  made.set(row, tool);
  return tool;
}

export const gymSummaryTools: Tool[] = [toolOf(SUMMARISER)];

function built([name, params, description]: Row): Tool {
  const given = params.split(' ').filter((param) => param !== '');
  const parts = given.map((param) => {
    const [key = '', type = ''] = param.split(':');
    return { key, type: type.replace('!', ''), required: type.endsWith('!') };
  });
  return {
    type: 'function',
    function: {
      name,
      description,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(parts.map(({ key, type }) => [key, { type }])),
        required: parts.filter(({ required }) => required).map(({ key }) => key),
      },
    },
  };
}
