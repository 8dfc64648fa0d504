/** Disks of commands in this process: what fails, what is counted, and what another process does at a moment. */
import type { FileHandle } from 'node:fs/promises'
import type { Disk } from '../svc.ts'

/** A disk on which this is done with each file and folder that is opened. */
export const opening =
  (change: (opened: FileHandle, path: string) => void | Promise<void>) =>
  (disk: Disk): Disk => ({
    ...disk,
    promises: {
      ...disk.promises,
      async open(...asked) {
        const opened = await disk.promises.open(...asked)
        await change(opened, String(asked[0]))
        return opened
      },
    },
  })

/** Whenever the file or folder is synced, `before` is called, and `after` behind it. */
export function syncing(
  opened: FileHandle,
  { before, after }: { readonly before?: () => void; readonly after?: () => void },
): void {
  for (const name of ['sync', 'datasync'] as const) {
    const sync = opened[name].bind(opened)
    opened[name] = async () => {
      before?.()
      await sync()
      after?.()
    }
  }
}

/** The calls of a command that make bytes or names last, or give a file another name, in their order. */
export function countedCalls() {
  const calls: string[] = []
  const noted =
    <Words extends unknown[], T>(name: string, call: (...words: Words) => T) =>
    (...words: Words): T => {
      calls.push(name)
      return call(...words)
    }
  const change = (disk: Disk): Disk => {
    const { promises, renameSync } = disk
    const rename = noted('rename', promises.rename)
    const link = noted('link', promises.link)
    const moving = { ...disk, promises: { ...promises, rename, link } }
    return opening(async (opened) => {
      const kind = (await opened.stat()).isDirectory() ? 'folder' : 'file'
      syncing(opened, { before: () => void calls.push(`sync ${kind}`) })
    })({ ...moving, renameSync: noted('rename', renameSync) })
  }
  return { calls, change }
}
