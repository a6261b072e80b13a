/** The version of the package and of its OpenAPI document; the API's own is in its path. */
export const version = '0.1.0'
