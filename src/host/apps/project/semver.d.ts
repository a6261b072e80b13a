/** The part of semver that is used here; it comes without types. */
declare module 'semver' {
  interface RangeOptions {
    readonly loose?: boolean
    readonly includePrerelease?: boolean
  }
  export function satisfies(version: string, range: string, options?: RangeOptions): boolean
  export function validRange(range: string, options?: RangeOptions): string | null
}
