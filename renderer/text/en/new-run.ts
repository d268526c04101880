export const newRun = {
  title: 'New run',
};
