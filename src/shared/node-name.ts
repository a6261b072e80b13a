/** The node that the control plane runs on. */
export const localNode = 'local'
