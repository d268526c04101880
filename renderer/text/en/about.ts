export const about = {
  title: 'About Waymark',
};
