/** Version of the package and of the description of its API; the API's own is in its path. */
export const version = '0.1.0'
