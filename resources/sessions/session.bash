# Start file of every session's bash (3.2 or newer).
#
# It makes the shell tell where commands begin and end, in escape sequences no terminal shows:
#   ESC ] 7717 ; NONCE ; KIND ; SEQ ; DATA BEL
#   C;seq;time          a line was accepted                       (from PS0; bash before 4.4 sends it with B)
#   B;seq;time;command  output of command number <command> begins (only for commands sent by the application)
#   D;seq;time;status   it ended
#   A;seq               the shell is at its prompt
# Times are the host's, in seconds. The application sends a command as a file in cmd/ and types one short line; so its text
# may be of any length and hold anything, an unfinished quote is a syntax error rather than a shell that waits for ever,
# and history, completion and line editing never touch it.
__wm_dir=$WAYMARK_SESSION_DIR
unset WAYMARK_SESSION_DIR
IFS= read -r __wm_nonce <"$__wm_dir/nonce"
# Waymark leaves its memory out of core dumps; what runs here may be debugged by them, as anywhere.
{
  IFS= read -r __wm_filter </proc/self/coredump_filter &&
    [ "$__wm_filter" = 00000000 ] && printf 0x33 >/proc/self/coredump_filter
} 2>/dev/null || :
unset __wm_filter

stty sane iutf8 2>/dev/null || stty sane
if [ "${WAYMARK_PROFILE-}" = 1 ] && [ -r "$HOME/.bashrc" ]; then
  . "$HOME/.bashrc"
fi
unset WAYMARK_PROFILE
# What the task has every session begin with, such as an environment to activate. Neither the shell nor its programs see it again.
if [ -n "${__WM_BEGIN-}" ]; then
  __wm_begin=$__WM_BEGIN
  unset __WM_BEGIN
  eval "$__wm_begin" || printf '[What the task begins each session with ended with exit code %s.]\n' "$?"
  unset __wm_begin
fi
# A person types here: what is typed is seen and edited, and earlier lines of this session come back.
__wm_echo=-echo
if [ "${__WM_TYPED-}" = 1 ]; then
  __wm_echo=echo
  set -o history
else
  set +o history
fi
unset __WM_TYPED
unset HISTFILE
set +o histexpand
shopt -s checkwinsize
PROMPT_DIRTRIM=1
PS1='\w \$ '
PS2='> '

__wm_n=0 __wm_open= __wm_status=0 __wm_text= __wm_time=

__wm_now() {
  if [ -n "${EPOCHREALTIME-}" ]; then
    __wm_time=$EPOCHREALTIME
  else
    __wm_time=$(date +%s)
  fi
}

__wm_mark() { printf '\033]7717;%s;%s\007' "$__wm_nonce" "$1" >/dev/tty; }

# Said by whichever comes first: the end of the typed line or the next prompt. It counts as said only afterwards: an
# interrupt in between makes the shell come here again, and readers take the first of two.
__wm_end() {
  if [ -n "$__wm_open" ]; then
    __wm_now
    __wm_mark "D;$__wm_n;$__wm_time;$1"
    __wm_open=
  fi
  return "$1"
}

__wm_before_prompt() {
  __wm_status=$?
  __wm_end "$__wm_status"
}

# Programs that were killed leave the terminal in their own mode; where commands are sent the echo is off
# because __wm_load prints them.
__wm_at_prompt() {
  stty icanon isig icrnl "$__wm_echo" </dev/tty 2>/dev/null
  __wm_mark "A;$__wm_n"
  return "$__wm_status"
}

# A command may have replaced these, wholly or in part; without them the shell would look busy for ever.
__wm_install() {
  local IFS=' ' entry kept
  if [ "${BASH_VERSINFO[0]}" -gt 5 ] || { [ "${BASH_VERSINFO[0]}" -eq 5 ] && [ "${BASH_VERSINFO[1]}" -ge 1 ]; }; then
    kept=()
    for entry in "${PROMPT_COMMAND[@]-}"; do
      case "$entry" in '' | __wm_before_prompt | __wm_at_prompt) ;; *) kept+=("$entry") ;; esac
    done
    PROMPT_COMMAND=(__wm_before_prompt "${kept[@]}" __wm_at_prompt)
  else
    case "${PROMPT_COMMAND-}" in *__wm_before_prompt*__wm_at_prompt*) ;; *)
      PROMPT_COMMAND="__wm_before_prompt
${PROMPT_COMMAND-}
__wm_at_prompt" ;;
    esac
  fi
  PS0='\033]7717;'$__wm_nonce';C;$((__wm_open=1,__wm_n+=1));${EPOCHREALTIME-}\007'
}

# Takes the text of a command from its file and shows it where it would have been typed.
__wm_load() {
  if [ -z "$__wm_open" ]; then
    __wm_open=1
    __wm_n=$((__wm_n + 1))
  fi
  __wm_install
  stty echo </dev/tty 2>/dev/null
  IFS= read -r -d '' __wm_text <"$__wm_dir/cmd/$1.echo" || :
  printf '%s\n' "$__wm_text" >/dev/tty
  IFS= read -r -d '' __wm_text <"$__wm_dir/cmd/$1" || :
  __wm_now
  __wm_mark "B;$__wm_n;$__wm_time;$1"
  return "$__wm_status"
}

__wm_install
