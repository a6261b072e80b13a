/** A directory below a document root, from the home. */
export const placeOf = (root: string, path: string): string => (path === '/' ? root : `${root}${path}`)
