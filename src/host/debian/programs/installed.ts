import { existsSync } from 'node:fs'
import { type ProgramName, programNames } from '../../contract/programs.ts'
import { openers } from './places.ts'

/** The programs that are set up on this machine. */
export const installedPrograms = (root = ''): ProgramName[] =>
  programNames.filter((one) => existsSync(root + openers[one]))
