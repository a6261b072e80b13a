/**
 * Who may call what, written by hand from the contract and the decisions: what the declarations are checked against.
 * Root and a full-access admin token may call whatever their kind reaches; a scope to read reaches GET only.
 *
 * operation, area of an admin token, privilege of a reseller (`own`: owning is enough), customer by session, area of
 * an account token, or several with `+` that it must all have. `-` is no one. Jobs of an account are also reached by the area that started them; those of this test
 * are account.* jobs, which only `account` reaches.
 */
const byCaller = `
listAccounts                     accounts                  list-accts           -    -
createAccount                    accounts                  create-acct          -    -
checkAccount                     accounts                  create-acct          -    -
getAccount                       accounts                  list-accts           yes  account
getAccountFeatures               accounts                  list-accts           yes  account
getAccountUsage                  accounts                  list-accts           yes  account
checkSecurityForAccount          accounts                  list-accts           yes  account
checkBanForAccount               accounts                  list-accts           yes  account
liftBanForAccount                -                         -                    yes  -
updateAccount                    accounts                  edit-account         yes  account
suspendAccount                   accounts                  suspend-acct         -    -
unsuspendAccount                 accounts                  suspend-acct         -    -
terminateAccount                 accounts                  kill-acct            -    -
changeAccountPackage             accounts                  upgrade-account      -    -
changeAccountPassword            accounts                  passwd               yes  -

listDomains                      accounts                  list-accts           yes  domains
createDomain                     accounts                  edit-account         yes  domains
getDomain                        accounts                  list-accts           yes  domains
updateDomain                     accounts                  edit-account         yes  domains
deleteDomain                     accounts                  edit-account         yes  domains
verifyDomain                     accounts                  edit-account         yes  domains
createPreview                    accounts                  edit-account         yes  domains
checkHtaccess                    accounts                  list-accts           yes  domains
getPreview                       accounts                  list-accts           yes  domains
deletePreview                    accounts                  edit-account         yes  domains
setDomainVerified                server                    -                    -    -
claimDomain                      accounts                  edit-account         yes  domains
listAllDomains                   accounts                  list-accts           -    -
listRedirects                    accounts                  list-accts           yes  domains
createRedirect                   accounts                  edit-account         yes  domains
deleteRedirect                   accounts                  edit-account         yes  domains
listWafHits                      accounts                  list-accts           yes  domains
listWafExceptions                accounts                  list-accts           yes  domains
createWafException               accounts                  edit-account         yes  domains
deleteWafException               accounts                  edit-account         yes  domains

listDnsZones                     accounts                  edit-dns             yes  dns
createDnsZone                    accounts                  create-dns           yes  dns
getDnsZone                       accounts                  edit-dns             yes  dns
updateDnsZone                    accounts                  edit-dns             yes  dns
deleteDnsZone                    accounts                  kill-dns             yes  dns
resetDnsZone                     accounts                  edit-dns             yes  dns
exportDnsZone                    accounts                  edit-dns             yes  dns
importDnsZone                    accounts                  edit-dns             yes  dns
compareDnsZone                   accounts                  edit-dns             yes  dns
listDnsRecords                   accounts                  manage-dns-records   yes  dns
createDnsRecord                  accounts                  manage-dns-records   yes  dns
getDnsRecord                     accounts                  manage-dns-records   yes  dns
updateDnsRecord                  accounts                  manage-dns-records   yes  dns
deleteDnsRecord                  accounts                  manage-dns-records   yes  dns
changeDnsRecords                 accounts                  manage-dns-records   yes  dns
getDnssec                        accounts                  edit-dns             yes  dns
enableDnssec                     accounts                  edit-dns             yes  dns
disableDnssec                    accounts                  edit-dns             yes  dns

listCertificates                 accounts                  ssl-info             yes  ssl
getCertificate                   accounts                  ssl-info             yes  ssl
installCertificate               accounts                  ssl                  yes  ssl
uninstallCertificate             accounts                  ssl                  yes  ssl
issueCertificate                 accounts                  ssl                  yes  ssl
setAutossl                       accounts                  ssl                  yes  ssl
createCsr                        accounts                  ssl-gencrt           yes  ssl
listCsrs                         accounts                  ssl-gencrt           yes  ssl
getCsr                           accounts                  ssl-gencrt           yes  ssl
deleteCsr                        accounts                  ssl-gencrt           yes  ssl

getSsh                           accounts                  create-user-session  yes  ssh
updateSsh                        accounts                  create-user-session  yes  ssh
listSshKeys                      accounts                  create-user-session  yes  ssh
addSshKey                        accounts                  create-user-session  yes  ssh
deleteSshKey                     accounts                  create-user-session  yes  ssh
listMailboxes                    accounts                  create-user-session  yes  email
createMailbox                    accounts                  create-user-session  yes  email
getMailbox                       accounts                  create-user-session  yes  email
updateMailbox                    accounts                  create-user-session  yes  email
changeMailboxPassword            accounts                  create-user-session  yes  email
suspendMailbox                   accounts                  create-user-session  yes  email
unsuspendMailbox                 accounts                  create-user-session  yes  email
deleteMailbox                    accounts                  create-user-session  yes  email
getMailboxClientConfig           accounts                  create-user-session  yes  email
getAutoresponder                 accounts                  create-user-session  yes  email
setAutoresponder                 accounts                  create-user-session  yes  email
deleteAutoresponder              accounts                  create-user-session  yes  email
getMailFilters                   accounts                  create-user-session  yes  email
setMailFilters                   accounts                  create-user-session  yes  email
listForwarders                   accounts                  create-user-session  yes  email
createForwarder                  accounts                  create-user-session  yes  email
getForwarder                     accounts                  create-user-session  yes  email
updateForwarder                  accounts                  create-user-session  yes  email
deleteForwarder                  accounts                  create-user-session  yes  email
listEmailDomains                 accounts                  create-user-session  yes  email
getEmailDomain                   accounts                  create-user-session  yes  email
setCatchAll                      accounts                  create-user-session  yes  email
setMailRouting                   accounts                  edit-mx              yes  email
setDkim                          accounts                  create-user-session  yes  email
rotateDkim                       accounts                  create-user-session  yes  email
getMtaSts                        accounts                  create-user-session  yes  email
setMtaSts                        accounts                  create-user-session  yes  email
getDomainRelay                   accounts                  create-user-session  yes  email
setDomainRelay                   accounts                  create-user-session  yes  email
deleteDomainRelay                accounts                  create-user-session  yes  email
getEmailDns                      accounts                  create-user-session  yes  email
checkEmailDns                    accounts                  create-user-session  yes  email
getSpamSettings                  accounts                  create-user-session  yes  email
setSpamFilter                    accounts                  create-user-session  yes  email
setSpamBox                       accounts                  create-user-session  yes  email
getEmailUsage                    accounts                  create-user-session  yes  email
listMailQueue                    accounts                  create-user-session  -    -
listMailQueueForAccount          accounts                  create-user-session  yes  email
retryMailQueue                   accounts                  create-user-session  -    -
holdMailQueue                    accounts                  create-user-session  -    -
releaseMailQueue                 accounts                  create-user-session  -    -
deleteMailQueue                  accounts                  create-user-session  -    -
deleteMailQueueForAccount        accounts                  create-user-session  yes  email
traceMail                        accounts                  create-user-session  -    -
traceEmail                       accounts                  create-user-session  yes  email

getMysqlServer                   accounts                  mysql-info           yes  mysql
listDatabases                    accounts                  mysql-info           yes  mysql
createDatabase                   accounts                  create-user-session  yes  mysql
getDatabase                      accounts                  mysql-info           yes  mysql
deleteDatabase                   accounts                  create-user-session  yes  mysql
importDatabase                   accounts                  create-user-session  yes  mysql
getDatabaseDumps                 accounts                  mysql-info           yes  mysql
exportDatabase                   accounts                  create-user-session  yes  mysql
downloadDatabase                 accounts                  create-user-session  yes  mysql
listDatabaseUsers                accounts                  mysql-info           yes  mysql
createDatabaseUser               accounts                  create-user-session  yes  mysql
getDatabaseUser                  accounts                  mysql-info           yes  mysql
changeDatabaseUserPassword       accounts                  create-user-session  yes  mysql
deleteDatabaseUser               accounts                  create-user-session  yes  mysql
setDatabaseGrant                 accounts                  create-user-session  yes  mysql
deleteDatabaseGrant              accounts                  create-user-session  yes  mysql
listDatabaseHosts                accounts                  create-user-session  yes  mysql
createDatabaseHost               accounts                  create-user-session  yes  mysql
getDatabaseHost                  accounts                  create-user-session  yes  mysql
deleteDatabaseHost               accounts                  create-user-session  yes  mysql
listFiles                        accounts                  create-user-session  yes  files
statFile                         accounts                  create-user-session  yes  files
readFile                         accounts                  create-user-session  yes  files
writeFile                        accounts                  create-user-session  yes  files
makeDirectory                    accounts                  create-user-session  yes  files
moveFile                         accounts                  create-user-session  yes  files
copyFile                         accounts                  create-user-session  yes  files
archiveFiles                     accounts                  create-user-session  yes  files
extractArchive                   accounts                  create-user-session  yes  files
chmodFile                        accounts                  create-user-session  yes  files
deleteFile                       accounts                  create-user-session  yes  files
listTrash                        accounts                  create-user-session  yes  files
restoreTrashItem                 accounts                  create-user-session  yes  files
emptyTrash                       accounts                  create-user-session  yes  files
listBackups                      accounts                  file-restore         yes  account
createBackup                     accounts                  file-restore         yes  account
getBackup                        accounts                  file-restore         yes  account
downloadBackup                   accounts                  file-restore         yes  account
listBackupEntries                accounts                  file-restore         yes  account
checkBackup                      accounts                  file-restore         yes  account
cancelBackup                     accounts                  file-restore         yes  account
deleteBackup                     accounts                  file-restore         yes  account
restoreBackup                    accounts                  file-restore         yes  account
getBackupSchedule                accounts                  file-restore         yes  account
setBackupSchedule                accounts                  edit-account         -    -
restoreBackupAs                  accounts                  create-acct          -    -
listAllBackups                   accounts                  file-restore         -    -
listBackupDestinations           server                    -                    -    -
createBackupDestination          server                    -                    -    -
getBackupDestination             server                    -                    -    -
updateBackupDestination          server                    -                    -    -
deleteBackupDestination          server                    -                    -    -
testBackupDestination            server                    -                    -    -
listSmtpRelays                   server                    -                    -    -
createSmtpRelay                  server                    -                    -    -
getSmtpRelay                     server                    -                    -    -
updateSmtpRelay                  server                    -                    -    -
deleteSmtpRelay                  server                    -                    -    -
testSmtpRelay                    server                    -                    -    -
listUploads                      accounts                  create-user-session  yes  files
createUpload                     accounts                  create-user-session  yes  files
getUpload                        accounts                  create-user-session  yes  files
sendUpload                       accounts                  create-user-session  yes  files
deleteUpload                     accounts                  create-user-session  yes  files
saveUpload                       accounts                  create-user-session  yes  files
listLogs                         accounts                  stats                yes  logs
tailLog                          accounts                  stats                yes  logs
downloadLog                      accounts                  stats                yes  logs
getVisitors                      accounts                  stats                yes  logs
getBandwidth                     accounts                  show-bandwidth       yes  logs
getUsageHistory                  accounts                  stats                yes  logs

getFtpServer                     accounts                  create-user-session  yes  files
listFtpAccounts                  accounts                  create-user-session  yes  files
createFtpAccount                 accounts                  create-user-session  yes  files
getFtpAccount                    accounts                  create-user-session  yes  files
updateFtpAccount                 accounts                  create-user-session  yes  files
changeFtpPassword                accounts                  create-user-session  yes  files
deleteFtpAccount                 accounts                  create-user-session  yes  files
listFtpSessions                  accounts                  create-user-session  yes  files

listCronJobs                     accounts                  create-user-session  yes  cron
createCronJob                    accounts                  create-user-session  yes  cron
getCronJob                       accounts                  create-user-session  yes  cron
updateCronJob                    accounts                  create-user-session  yes  cron
deleteCronJob                    accounts                  create-user-session  yes  cron
runCronJob                       accounts                  create-user-session  yes  cron
listCronRuns                     accounts                  create-user-session  yes  cron
getCronRun                       accounts                  create-user-session  yes  cron

listApps                         accounts                  create-user-session  yes  files
createApp                        accounts                  create-user-session  yes  files
getApp                           accounts                  create-user-session  yes  files
updateApp                        accounts                  create-user-session  yes  files
deleteApp                        accounts                  create-user-session  yes  files
startApp                         accounts                  create-user-session  yes  files
stopApp                          accounts                  create-user-session  yes  files
restartApp                       accounts                  create-user-session  yes  files
rotateAppDeployKey               accounts                  create-user-session  yes  files
deployApp                        accounts                  create-user-session  yes  files
rollbackApp                      accounts                  create-user-session  yes  files
listReleases                     accounts                  create-user-session  yes  files
getRelease                       accounts                  create-user-session  yes  files
getAppEnv                        accounts                  create-user-session  yes  files
setAppEnv                        accounts                  create-user-session  yes  files
getAppLog                        accounts                  create-user-session  yes  files

createAccountSso                 accounts                  create-user-session  -    -
loginAsAccount                   -                         create-user-session  -    -
createPhpMyAdminLink             -                         create-user-session  yes  -
createWebmailLink                -                         create-user-session  yes  -

listPackages                     packages                  list-pkgs            -    -
getPackage                       packages                  list-pkgs            -    -
createPackage                    packages                  add-pkg              -    -
updatePackage                    packages                  edit-pkg             -    -
deletePackage                    packages                  edit-pkg             -    -

lookup                           accounts,packages         own                  -    -
lookupForAccount                 accounts,packages         own                  yes  domains,dns,email,files,mysql,ssl,ssh,cron,logs,account,webhooks,events

listJobs                         accounts                  own                  -    -
getJob                           accounts,packages,server  own                  yes  -
cancelJob                        accounts                  own                  -    -
retryJob                         accounts                  own                  -    -
listWordpress                    accounts                  create-user-session  yes  files+mysql
getWordpress                     accounts                  create-user-session  yes  files+mysql
installWordpress                 accounts                  create-user-session  yes  files+mysql
setWordpressMaintenance          accounts                  create-user-session  yes  files+mysql
updateWordpress                  accounts                  create-user-session  yes  files+mysql
undoWordpress                    accounts                  create-user-session  yes  files+mysql
createWordpressLink              accounts                  create-user-session  yes  -
listWordpressPlugins             accounts                  create-user-session  yes  files+mysql
listWordpressThemes              accounts                  create-user-session  yes  files+mysql
listWordpressUsers               accounts                  create-user-session  yes  files+mysql
scanWordpress                    accounts                  create-user-session  yes  files+mysql
deleteWordpress                  accounts                  create-user-session  yes  files+mysql
updateWordpressSettings          accounts                  create-user-session  yes  files+mysql
listAllWordpress                 accounts                  list-accts           -    -

listJobsForAccount               accounts                  own                  yes  account,domains,dns,email,files,mysql,ssl,ssh,cron
getJobForAccount                 accounts                  own                  yes  account
cancelJobForAccount              accounts                  own                  yes  account
retryJobForAccount               accounts                  own                  yes  account

listWebhooks                     server                    -                    -    -
createWebhook                    server                    -                    -    -
webhookCatalog                   server                    -                    -    -
getWebhook                       server                    -                    -    -
updateWebhook                    server                    -                    -    -
deleteWebhook                    server                    -                    -    -
webhookDeliveries                server                    -                    -    -
redeliverWebhook                 server                    -                    -    -
redeliverWebhookSince            server                    -                    -    -
rotateWebhookSecret              server                    -                    -    -
testWebhook                      server                    -                    -    -
listEvents                       server                    -                    -    -

listWebhooksForAccount           accounts                  create-user-session  yes  webhooks
createWebhookForAccount          accounts                  create-user-session  yes  webhooks
webhookCatalogForAccount         accounts                  create-user-session  yes  webhooks
getWebhookForAccount             accounts                  create-user-session  yes  webhooks
updateWebhookForAccount          accounts                  create-user-session  yes  webhooks
deleteWebhookForAccount          accounts                  create-user-session  yes  webhooks
webhookDeliveriesForAccount      accounts                  create-user-session  yes  webhooks
redeliverWebhookForAccount       accounts                  create-user-session  yes  webhooks
redeliverWebhookSinceForAccount  accounts                  create-user-session  yes  webhooks
rotateWebhookSecretForAccount    accounts                  create-user-session  yes  webhooks
testWebhookForAccount            accounts                  create-user-session  yes  webhooks
listEventsForAccount             accounts                  create-user-session  yes  events

listNotices                      accounts                  list-accts           -    -
listNoticesForAccount            accounts                  list-accts           yes  account
dismissNotice                    accounts,server           edit-account         -    -
dismissNoticeForAccount          accounts                  edit-account         yes  account

listAlerts                       accounts                  list-accts           -    -
acknowledgeAlert                 server                    list-accts           -    -
listAlertChannels                accounts                  list-accts           -    -
createAlertChannel               server                    list-accts           -    -
getAlertChannel                  accounts                  list-accts           -    -
updateAlertChannel               server                    list-accts           -    -
deleteAlertChannel               server                    list-accts           -    -
testAlertChannel                 server                    list-accts           -    -
listAlertsForAccount             accounts                  list-accts           yes  account
acknowledgeAlertForAccount       accounts                  edit-account         yes  account
listAlertChannelsForAccount      accounts                  list-accts           yes  account
createAlertChannelForAccount     accounts                  edit-account         yes  account
getAlertChannelForAccount        accounts                  list-accts           yes  account
updateAlertChannelForAccount     accounts                  edit-account         yes  account
deleteAlertChannelForAccount     accounts                  edit-account         yes  account
testAlertChannelForAccount       accounts                  edit-account         yes  account

listEmailTemplates               accounts                  list-accts           -    -
setEmailTemplate                 server                    list-accts           -    -
deleteEmailTemplate              server                    list-accts           -    -
previewEmailTemplate             accounts                  list-accts           -    -
getNotificationPreferences       accounts                  list-accts           yes  account
setNotificationPreferences       accounts                  edit-account         yes  account

listAudit                        server                    -                    -    -
listAuditForAccount              accounts                  own                  yes  logs

listResellers                    server                    -                    -    -
createReseller                   server                    -                    -    -
getReseller                      server                    own                  -    -
updateReseller                   server                    own                  -    -
setBrandLogo                     server                    own                  -    -
deleteBrandLogo                  server                    own                  -    -
setServerLogo                    server                    -                    -    -
deleteServerLogo                 server                    -                    -    -
getBrand                         accounts,packages,server  own                  -    -
getBrandForAccount               accounts                  list-accts           yes  account
setResellerAcl                   server                    -                    -    -
suspendReseller                  server                    -                    -    -
unsuspendReseller                server                    -                    -    -
removeReseller                   server                    -                    -    -
listPrivileges                   server                    -                    -    -
listAcls                         server                    -                    -    -
createAcl                        server                    -                    -    -
getAcl                           server                    -                    -    -
updateAcl                        server                    -                    -    -
deleteAcl                        server                    -                    -    -
listFeatures                     server,packages           list-pkgs            -    -
listFeatureLists                 server,packages           list-pkgs            -    -
createFeatureList                server                    -                    -    -
getFeatureList                   server,packages           list-pkgs            -    -
updateFeatureList                server                    -                    -    -
deleteFeatureList                server                    -                    -    -
listNodes                        server                    -                    -    -
getNode                          server                    -                    -    -
updateNode                       server                    -                    -    -
drainNode                        server                    -                    -    -
activateNode                     server                    -                    -    -
deleteNode                       server                    -                    -    -
createNode                       server                    -                    -    -
renewNodeJoin                    server                    -                    -    -
revokeNode                       server                    -                    -    -
listNodeOrphans                  server                    -                    -    -
getNodeTargets                   server                    -                    -    -
getPlacement                     server                    -                    -    -
listDnsPeers                     server                    -                    -    -
createDnsPeer                    server                    -                    -    -
deleteDnsPeer                    server                    -                    -    -
listImportUploads                accounts                  create-acct          -    -
createImportUpload               accounts                  create-acct          -    -
getImportUpload                  accounts                  create-acct          -    -
sendImportUpload                 accounts                  create-acct          -    -
deleteImportUpload               accounts                  create-acct          -    -
listImports                      accounts                  create-acct          -    -
createImport                     accounts                  create-acct          -    -
getImport                        accounts                  create-acct          -    -
updateImport                     accounts                  create-acct          -    -
getImportReport                  accounts                  create-acct          -    -
runImport                        accounts                  create-acct          -    -
compareImport                     accounts                  create-acct          -    -
getImportChecklist                accounts                  create-acct          -    -
activateImport                   accounts                  create-acct          -    -
cancelImport                     accounts                  create-acct          -    -
deleteImport                     accounts                  create-acct          -    -

listIps                          server                    -                    -    -
createIp                         server                    -                    -    -
getIp                            server                    -                    -    -
deleteIp                         server                    -                    -    -
getSettings                      server                    -                    -    -
updateSettings                   server                    -                    -    -
getLicense                       server                    -                    -    -
getServerHealth                  server                    -                    -    -
checkSecurity                    server                    -                    -    -
listBans                         server                    -                    -    -
getBan                           server                    -                    -    -
createBan                        server                    -                    -    -
deleteBan                        server                    -                    -    -
getFirewall                      server                    -                    -    -
addFirewallRule                  server                    -                    -    -
deleteFirewallRule               server                    -                    -    -
confirmFirewall                  server                    -                    -    -
checkBan                         accounts                  list-accts           -    -
getWhm                           accounts,packages,server  own                  -    -
getHost                          server                    -                    -    -
getHostDiff                      server                    -                    -    -
listHostTrash                    server                    -                    -    -
applyHost                        server                    -                    -    -
verifyHost                       server                    -                    -    -
setLicense                       server                    -                    -    -
setRootPassword                  -                         -                    -    -
createRootSso                    -                         -                    -    -

listTokens                       -                         manage-api-tokens    -    -
createToken                      -                         manage-api-tokens    -    -
showToken                        -                         manage-api-tokens    -    -
revokeToken                      -                         manage-api-tokens    -    -
listTokensForAccount             -                         manage-api-tokens    yes  -
createTokenForAccount            -                         manage-api-tokens    yes  -
showTokenForAccount              -                         manage-api-tokens    yes  -
revokeTokenForAccount            -                         manage-api-tokens    yes  -
`

/** Anyone may call these, and a bearer token is ignored. */
const byAnyone = `
getOpenApi
getSession      getUserSession
getSignInBrand  getBrandLogo
signIn          signInUser      signInAnywhere
getPasswordReset requestPasswordReset completePasswordReset
completeSignIn  completeSignInUser
startPasskeySignIn     startPasskeySignInUser
completePasskeySignIn  completePasskeySignInUser  completePasskeySignInAnywhere
redeemLink
confirmAlertChannel
`

/** Anyone signed in to that panel, about itself; root on the local socket counts as signed in to the admin panel. */
const bySession = {
  admin: `
listSessions       endSession  endSessions
setUpTotp          enableTotp  disableTotp
startPasskey  addPasskey  listPasskeys  renamePasskey  deletePasskey
startPasskeyConfirm  confirmPasskey  renewRecoveryCodes
changeOwnPassword  signOut     confirmPassword
switchToUser
`,
  user: `
listUserSessions       endUserSession  endUserSessions
setUpTotpUser          enableTotpUser  disableTotpUser
startPasskeyUser  addPasskeyUser  listPasskeysUser  renamePasskeyUser  deletePasskeyUser
startPasskeyConfirmUser  confirmPasskeyUser  renewRecoveryCodesUser
changeOwnUserPassword  signOutUser     confirmUserPassword
switchToAdmin
`,
}

/** Any API token asks about itself; a session and the socket have none. */
const byToken = 'getToken'

/** What an administrator signed in as the account may not do there. */
export const notWhileActing = names(`
liftBanForAccount
changeAccountPassword  changeOwnUserPassword
setUpTotpUser          enableTotpUser  disableTotpUser
startPasskeyUser  addPasskeyUser  renamePasskeyUser  deletePasskeyUser  renewRecoveryCodesUser
endUserSession         endUserSessions
switchToAdmin
`)

/** What is allowed while a session must first change its password or set up its second factor. */
export const whileRestricted = names(`
changeAccountPassword  changeOwnPassword  changeOwnUserPassword  setRootPassword
setUpTotp              setUpTotpUser      enableTotp             enableTotpUser
startPasskey  startPasskeyUser  addPasskey  addPasskeyUser
startPasskeyConfirm  startPasskeyConfirmUser  confirmPasskey  confirmPasskeyUser
signOut                signOutUser        confirmPassword        confirmUserPassword
`)

/** What a session may do after confirming its password: one from a link never has. */
export const onceConfirmed = names(`
createToken                revokeToken
createTokenForAccount      revokeTokenForAccount
setUpTotp      enableTotp      disableTotp
setUpTotpUser  enableTotpUser  disableTotpUser
startPasskey      addPasskey      deletePasskey      renewRecoveryCodes
startPasskeyUser  addPasskeyUser  deletePasskeyUser  renewRecoveryCodesUser
endSession     endSessions     endUserSession   endUserSessions
changeOwnPassword  changeOwnUserPassword  changeAccountPassword  setRootPassword
`)

/** What is allowed while suspended: signing out, and the brand of the page that says so. */
export const whileSuspended = names('signOut signOutUser getBrandForAccount')

/** What needs the feature `api_tokens`, for every caller. */
export const needsApiTokens = (operation: string): boolean =>
  /^(list|create|show|revoke)Tokens?ForAccount$|Webhooks?.*ForAccount$|^webhook.*ForAccount$|^listEventsForAccount$/.test(
    operation,
  )

export interface Who {
  readonly admin: readonly string[]
  readonly reseller: string
  readonly customer: boolean
  readonly account: string
}
export type Rule = Who | 'anyone' | 'token' | { readonly panel: 'admin' | 'user' }

/** Every operation's rule. */
export const expected: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...lines(byCaller),
  ...[...names(byAnyone)].map((name) => [name, 'anyone'] as const),
  ...[...names(bySession.admin)].map((name) => [name, { panel: 'admin' }] as const),
  ...[...names(bySession.user)].map((name) => [name, { panel: 'user' }] as const),
  [byToken, 'token'],
])

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}

function lines(text: string): [string, Who][] {
  const rows = text.split('\n').filter((line) => line !== '')
  return rows.map((line) => {
    const [name = '', admin = '-', reseller = '-', customer, account = '-'] = line.split(/ +/)
    return [
      name,
      { admin: admin.split(',').filter((area) => area !== '-'), reseller, customer: customer === 'yes', account },
    ]
  })
}
