import { readFileSync } from 'node:fs'

export const listFolder = '/etc/panel/db.d'

const named = /^CREATE DATABASE IF NOT EXISTS `([a-z0-9_]+)`/gm

/** An account's databases as last applied. */
export function databasesOf(username: string, folder = listFolder): string[] {
  try {
    const text = readFileSync(`${folder}/${username}.sql`, 'utf8')
    return [...text.matchAll(named)].map(([, name]) => name!)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
