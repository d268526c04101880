export const terminals = {
  title: 'Terminals',
};
