/**
 * What the main process must have seen of a person before it does what the page asks, because the page may have been taken
 * over by what it shows:
 * - `free`: nothing. It looks, or what it writes can be seen and taken back (labels, comments), or it only holds back.
 * - `present`: some key or click in the window within the last minute.
 * - `gesture`: a key or click within the last second, or the end of such a command, within ten seconds of the press.
 * - `choice`: as `gesture`, and what was pressed types nothing: a button of the mouse, Enter, or a key with Ctrl or Cmd. For
 *   what moves the keyboard to where keys mean something else.
 * - `press`: a key or click within the last second that no other `press` command has used: one for each.
 * - `native`: the system's own dialog, which main shows, names what it is about or chooses the path.
 *
 * A gesture is what Chromium's own process got from the system (`electron/ipc/gestures.ts`); events that the page makes up
 * are none. Where only some inputs of a command need a native question, its handler asks beside this (`computers.answer`).
 */
export type Consent = 'free' | 'present' | 'gesture' | 'choice' | 'press' | 'native';
