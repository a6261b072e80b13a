import type { Area } from '../../runtime/areas/area.ts'
import { isLicenseExpired, serverOperations } from './operations.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    license_valid_until: number | null
  }
}

export const server = {
  name: 'server',
  handlers: serverOperations,
  services: { licenseExpired: isLicenseExpired },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
