/** The host of this process, once: each host of a process listens to its stderr. */
import type { Host } from '../../src/host.ts'
import { nodeHost } from '../../src/node-host.ts'

export const realHost = nodeHost(process)

/** The host of this process but for some parts. */
export const hostWith = (parts: Partial<Host>): Host =>
  Object.create(realHost, Object.getOwnPropertyDescriptors(parts)) as Host
