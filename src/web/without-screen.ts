import type { OperationId } from '../contract/index.ts'

/** Operations that have a command and no page, and why. */
export const withoutScreen: { readonly [Id in OperationId]?: string } = {
  checkAccount: 'the form of a new account says what is wrong with a name when it is saved',
  getAccountFeatures: 'read around every page of an account: what it lacks is not offered',
  lookup: 'names in addresses are looked up with it',
  lookupForAccount: 'names in addresses are looked up with it',
  listFeatures: 'the form of a feature list names them all',
  listPrivileges: 'the form of a privilege list names them all',
  webhookCatalog: 'the reference of the API lists the types',
  webhookCatalogForAccount: 'the reference of the API lists the types',
  getToken: 'a session has no token',
  setRootPassword: 'the first password is set at the command line, others on the page of your own sign-in',
  createUpload: 'not built yet',
  listUploads: 'not built yet',
  getUpload: 'not built yet',
  sendUpload: 'not built yet',
  saveUpload: 'not built yet',
  deleteUpload: 'not built yet',
  restoreBackupAs: 'not built yet',
  downloadLog: 'not built yet',
  getBrand: 'not built yet',
  getBrandForAccount: 'not built yet',
  setBrandLogo: 'not built yet',
  setServerLogo: 'not built yet',
  deleteBrandLogo: 'not built yet',
  deleteServerLogo: 'not built yet',
}
