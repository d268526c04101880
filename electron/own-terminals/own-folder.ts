/**
 * Where the person's own terminals are: the folder below a workspace's `spools`, beside runs, and the namespace of their sessions
 * on a host. No run has this name, and what cleans up after runs passes it over.
 */
export const ownFolder = 'own';
