import type { ProgramName } from '../../contract/programs.ts'

/** A program, the user that it runs as, and its folder. */
export interface ProgramPlace {
  readonly user: string
  readonly folder: string
}

export const programPlaces: Readonly<Record<ProgramName, ProgramPlace>> = {
  phpmyadmin: { user: 'panel-pma', folder: '/var/lib/panel-phpmyadmin' },
  webmail: { user: 'panel-webmail', folder: '/var/lib/panel-webmail' },
}

/** The program's folder of links, by SHA-256 of their tokens. */
export const linksIn = ({ folder }: ProgramPlace): string => `${folder}/links`

/** The script with which each program redeems links; exists once the program is set up. */
export const openers: Readonly<Record<ProgramName, string>> = {
  phpmyadmin: '/var/lib/panel-phpmyadmin/open.php',
  webmail: '/var/lib/roundcube/plugins/panel/panel.php',
}

/** Webmail's database: sessions, address books, signatures. */
export const webmailDatabase = `${programPlaces.webmail.folder}/data/roundcube.db`

/** Logins of webmail sessions, for Dovecot. */
export const webmailLogins = '/etc/panel/mail/webmail'
