/** Bundles the modules for browsers into a folder, with a list of what is called how. */
export function buildBrowser(esbuild: typeof import('esbuild'), root: string, folder: string): Promise<void>
