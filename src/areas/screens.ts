import type { Screen } from '../web/kit/screen.ts'

declare module '../runtime/areas/area.ts' {
  interface Area {
    /** Its pages, loaded at the first visit: a server without visitors pays nothing for them. */
    readonly screens?: () => Promise<readonly Screen[]>
  }
}
