import type { Area } from '../../runtime/area.ts'
import { licenseLapsed, serverOperations } from './operations.ts'

export const server = {
  name: 'server',
  handlers: serverOperations,
  services: { lapsed: licenseLapsed },
} satisfies Area
