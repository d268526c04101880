/**
 * What the page of the view of own terminals is called: main tells preload, its address tells the page, its session is named so,
 * and the channels of its commands begin with it.
 */
export const ownTerminalPage = 'own-terminal';
