/** The real world of this process, once: each host of a process listens to its stderr. */
import { nodeHost } from '../../src/node-host.ts'

export const realHost = nodeHost(process)
