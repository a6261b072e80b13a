import type { Context } from '../../runtime/operations/context.ts'
import type { PackageRow } from './tables.ts'

/** How an area extends packages. */
export interface PackagePart {
  /** Rejects limits that a package grants to all its accounts: 409 `limit-reached`. */
  readonly refuseGrant?: (ctx: Context, plan: PackageRow) => void
}

declare module '../../runtime/areas/area.ts' {
  interface Area {
    readonly ofPackage?: PackagePart
  }
}

/** 409 `limit-reached` if an owner may not grant that much to all its accounts with the package. */
export function refusePackageGrant(ctx: Context, plan: PackageRow): void {
  for (const { ofPackage } of ctx.runtime.areas) ofPackage?.refuseGrant?.(ctx, plan)
}
