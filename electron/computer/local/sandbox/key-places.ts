/**
 * Names that are private at any depth of any folder: programs keep keys and passwords under them. A folder of such a name, one
 * that lies in it and one that holds it are shown to nobody.
 */
export const keyNames: ReadonlySet<string> = new Set(
  `
  .ssh .gnupg .pki .password-store .aws .azure .kube .netrc .git-credentials .pgpass .my.cnf .vault-token .terraform.d
  .electrum .mozilla .thunderbird .huggingface .kaggle .databricks .bash_history .zsh_history
`
    .trim()
    .split(/\s+/),
);

/** Below a home: private although nothing of the path is hidden. */
export const openKeyPlaces = ['snap', 'Library'];

/** Below a home: hidden, but programs and what can be fetched again, so these may be shown. */
export const hiddenPrograms = `
  .cache/* .pyenv .nvm .rustup .sdkman .cargo/bin .local/bin .local/lib .local/share/uv .local/share/virtualenvs .conda/envs
  .conda/pkgs .venv .virtualenvs
`
  .trim()
  .split(/\s+/);

/** First folders of a Linux system that are its own, not a person's data. */
export const systemTops: ReadonlySet<string> = new Set(
  `
  bin sbin lib lib32 lib64 libx32 boot dev etc proc root run sys var lost+found snap
`
    .trim()
    .split(/\s+/),
);

/** Whose content is programs: shown read-only anyway, so never for writing. */
export const programTops: ReadonlySet<string> = new Set(['usr', 'opt', 'nix']);

/** Hold what several people keep: only what lies in them is somebody's. */
export const sharedTops: ReadonlySet<string> = new Set(['srv', 'mnt', 'media', 'home']);
