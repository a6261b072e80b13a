import type { OperationId } from '../../src/contract/index.ts'

/** Operations without a page, and why. */
export const withoutScreen: { readonly [Id in OperationId]?: string } = {
  claimDomain: 'the record of a claim must be added before its job looks, so it is for the command line and programs',
  checkAccount: 'the form of a new account says what is wrong with a name when it is saved',
  getAccountFeatures: 'read around every page of an account: what it lacks is not offered',
  lookup: 'names in addresses are looked up with it',
  lookupForAccount: 'names in addresses are looked up with it',
  listFeatures: 'the form of a feature list names them all',
  listPrivileges: 'the form of a privilege list names them all',
  webhookCatalog: 'the reference of the API lists the types',
  webhookCatalogForAccount: 'the reference of the API lists the types',
  renewNodeJoin: 'its line is typed on the new machine, at a terminal as well',
  getNodeTargets: 'monitoring asks for it',
  listNodeOrphans: 'an agent that is away would hold up the page of its node',
  getToken: 'sessions do not use tokens',
  createRootSso: 'root opens it at the command line, on the machine itself',
  setRootPassword: 'the first password is set at the command line, others on the page of your own sign-in',
  createUpload: 'a script of the files page sends files with it',
  listUploads: 'uploads of the files page end with it',
  getUpload: 'a script of the files page sends files with it',
  sendUpload: 'a script of the files page sends files with it',
  getBrandForAccount: 'read around every page of an account, which looks as it says',
}
