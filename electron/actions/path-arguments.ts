/** Argument that holds a path, by action. */
export const pathArguments: Record<string, string> = {
  open_file: 'path',
  create_file: 'filename',
  edit_file: 'path',
  search_dir: 'dir_path',
  search_file: 'file_path',
  find_file: 'dir_path',
  list_files: 'path',
};
