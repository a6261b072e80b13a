import { existsSync } from 'node:fs'
import { type ProgramName, programNames } from '../../programs.ts'
import { openers } from './places.ts'

/** The programs that are set up on this machine. */
export const programsHere = (root = ''): ProgramName[] => programNames.filter((one) => existsSync(root + openers[one]))
