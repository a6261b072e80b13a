import { readFileSync } from 'node:fs'

export const listFolder = '/etc/panel/db.d'

const named = /^CREATE DATABASE IF NOT EXISTS `([a-z0-9_]+)`/gm

/** The statements of an account as last applied. */
function textOf(username: string, folder: string): string {
  try {
    return readFileSync(`${folder}/${username}.sql`, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

export const databasesOf = (username: string, folder = listFolder): string[] =>
  [...textOf(username, folder).matchAll(named)].map(([, name]) => name!)

/** The statements that grant what its users may do. */
export const grantsOf = (username: string, folder = listFolder): string[] =>
  textOf(username, folder)
    .split('\n')
    .filter((line) => line.startsWith('GRANT '))
