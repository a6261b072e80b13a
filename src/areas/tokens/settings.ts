declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    /** Whether AI agents may connect over HTTP. */
    mcp_http: boolean
    /** Hosts of clients that may be connected; empty: all. */
    mcp_clients: readonly string[]
  }
}

export const settings = { mcp_http: false, mcp_clients: [] } as const
