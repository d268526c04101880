export const queries = {
  title: 'Search queries',
  step: 'Step',
  action: 'Action',
  query: 'Query',
  where: 'Where',
  hits: 'Hits',
  emptyTitle: 'No search yet',
  emptyText: 'Queries appear here when the agent searches files, folders or the web.',
};
