export const queries = {
  title: 'Web and searches',
};
