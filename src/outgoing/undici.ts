/** Named here: of a CommonJS package that is imported when it is needed, a bundle hands on the default alone. */
export { Agent, buildConnector, Pool, request } from 'undici'
