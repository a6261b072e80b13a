import { rmSync } from 'node:fs'

/** Where MariaDB listens: for root and the members of a group alone. */
export const serverSockets = '/run/mysqld'
export const sqlGroup = 'panel-sql'

/**
 * Each account has a directory with a socket of its own, which its programs see in place of `serverSockets`: MariaDB
 * counts connections that have not logged in for all users together.
 */
export const accountSockets = '/run/panel-mysql'

const socketUnit = (username: string): string => `panel-mysql@${username}.socket`
const serviceUnit = (username: string): string => `panel-mysql@${username}.service`

/** What connects all accounts. */
export const allServices = 'panel-mysql@*.service'

/** The template, written by `panel host setup` where there are databases. */
export const socketTemplate = '/etc/systemd/system/panel-mysql@.socket'

/** For the `[Unit]` of an account's units: its directory exists when they start. */
export const needsSocket = (username: string): string[] =>
  ['Wants', 'After'].map((relation) => `${relation}=${socketUnit(username)}`)

export const unitsOfSocket = (username: string): string[] => [socketUnit(username), serviceUnit(username)]

/** Call after the account's last program that uses it has ended. */
export const removeSockets = (username: string): void =>
  rmSync(`${accountSockets}/${username}`, { recursive: true, force: true })
