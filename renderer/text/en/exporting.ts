export const exporting = {
  title: 'Export',
};
