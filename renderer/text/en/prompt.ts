export const prompt = {
  title: 'Exact prompt',
};
