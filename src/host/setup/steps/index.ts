import type { Step } from '../step.ts'
import { base } from './base.ts'
import { dns } from './dns.ts'
import { mariadb } from './mariadb.ts'
import { nginx } from './nginx.ts'
import { php } from './php.ts'

/** All steps, in the order in which they are done. The agent has run once before them. */
export const steps: readonly Step[] = [base, php, nginx, dns, mariadb]
