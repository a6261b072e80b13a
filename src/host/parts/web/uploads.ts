/** Bodies of a megabyte or more at a time for one account: nginx keeps each in a file until it is complete. */
const MAX_UPLOADS = 20

export const uploads: readonly string[] = [`limit_conn panel_uploads ${MAX_UPLOADS};`, 'limit_conn_status 429;']
