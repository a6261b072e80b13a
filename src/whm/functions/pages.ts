/** cPanel's page names, as billing systems link to them, and the pages here. */
const pages: Readonly<Record<string, string>> = {
  Backups_Home: 'backups',
  Backup_Home: 'backups',
  Cron_Home: 'cron',
  Database_Manager: 'mysql',
  Database_MySQL: 'mysql',
  Database_MySQL_DB_Wizard: 'mysql/new',
  Database_phpMyAdmin: 'mysql',
  Domains_AddonDomains: 'domains',
  Domains_Domains: 'domains',
  Domains_ParkedDomains: 'domains',
  Domains_Redirects: 'domains',
  Domains_SubDomains: 'domains',
  Domains_ZoneEditor: 'dns',
  Email_Accounts: 'email',
  Email_AutoResponders: 'email',
  Email_Deliverability: 'email/domains',
  Email_Forwarders: 'email/forwarders',
  Email_SpamFilter: 'email/spam',
  FileManager_Home: 'files',
  FTP_Accounts: 'ftp',
  SSH_Access: 'ssh',
  SSL_TLS: 'ssl',
  SSL_TLS_Home: 'ssl',
  Stats_AWStats: 'logs',
  Stats_Bandwidth: 'bandwidth',
  Stats_Errors: 'logs',
  Stats_ResourceUsage: 'usage',
  User_Manager: '',
}

/** The customer panel's page for a cPanel name; home by default. */
export const pageOf = (app: string): string => `/user/${Object.hasOwn(pages, app) ? pages[app] : ''}`

export const knownPages: readonly string[] = Object.keys(pages)
