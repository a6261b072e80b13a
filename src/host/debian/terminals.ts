/**
 * Each account has pseudo-terminals of its own, as many as its mount allows, which its programs see in place of the
 * machine's: those are counted for all users together.
 */
export const accountTerminals = '/run/panel-terminals'
export const machineTerminals = '/dev/pts'

/** It makes the mount, before the account's first program that may open one. */
export const terminalsUnit = (username: string): string => `panel-terminals@${username}.service`

/** The template, written by `panel host setup`. */
export const terminalsTemplate = '/etc/systemd/system/panel-terminals@.service'

/** For the `[Unit]` of an account's units. */
export const needsTerminals = (username: string): string[] =>
  ['Wants', 'After'].map((relation) => `${relation}=${terminalsUnit(username)}`)

/** For `BindPaths=`. Where it could not be mounted, the directory is empty: programs can then open no terminal. */
export const ownTerminals = (username: string): string => `-${accountTerminals}/${username}:${machineTerminals}`
