/** Named here, because a bundle only passes on the default export of a dynamically imported CommonJS package. */
export { Agent, buildConnector, Pool, request } from 'undici'
