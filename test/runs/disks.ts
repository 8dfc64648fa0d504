/** Disks of commands in this process: what fails, what is counted, and what another process does at a moment. */
import type { Disk } from '../svc.ts'
import { linesIn } from './run-files.ts'

/** Calls this after each sync of a run's file, with its path and the number of such syncs so far. */
export function afterEachSync(work: (path: string, count: number) => void) {
  let count = 0
  return (disk: Disk): Disk => ({
    ...disk,
    promises: {
      ...disk.promises,
      async open(...asked) {
        const opened = await disk.promises.open(...asked)
        const path = String(asked[0])
        if (!path.endsWith('.ndjson')) return opened
        const datasync = opened.datasync.bind(opened)
        opened.datasync = async () => {
          await datasync()
          count += 1
          work(path, count)
        }
        return opened
      },
    },
  })
}

/** The calls of a command that make bytes or names last, or give a file another name, in their order. */
export function countedCalls() {
  const calls: string[] = []
  const change = (disk: Disk): Disk => ({
    ...disk,
    promises: {
      ...disk.promises,
      async open(...asked) {
        const opened = await disk.promises.open(...asked)
        const isFolder = (await opened.stat()).isDirectory()
        const [sync, datasync] = [opened.sync.bind(opened), opened.datasync.bind(opened)]
        opened.sync = () => {
          calls.push(isFolder ? 'sync folder' : 'sync file')
          return sync()
        }
        opened.datasync = () => {
          calls.push('sync file')
          return datasync()
        }
        return opened
      },
      rename(from, to) {
        calls.push('rename')
        return disk.promises.rename(from, to)
      },
      link(from, to) {
        calls.push('link')
        return disk.promises.link(from, to)
      },
    },
    renameSync(from, to) {
      calls.push('rename')
      disk.renameSync(from, to)
    },
  })
  return { calls, change }
}

/** The kinds of lines of run files that no sync had covered when a file or folder with such a path was opened or synced. */
export function unsyncedAt(isMoment: (path: string) => boolean) {
  const synced = new Map<string, number>()
  const unsynced: string[] = []
  const see = (path: string): void => {
    if (!isMoment(path)) return
    for (const [file, count] of synced) {
      unsynced.push(
        ...linesIn(file)
          .slice(count)
          .map(({ t }) => t),
      )
    }
  }
  const change = (disk: Disk): Disk => ({
    ...disk,
    promises: {
      ...disk.promises,
      async open(...asked) {
        const path = String(asked[0])
        see(path)
        const opened = await disk.promises.open(...asked)
        if (!path.endsWith('.ndjson')) return opened
        synced.set(path, synced.get(path) ?? linesIn(path).length)
        const datasync = opened.datasync.bind(opened)
        opened.datasync = async () => {
          see(path)
          const { length } = linesIn(path)
          await datasync()
          synced.set(path, length)
        }
        return opened
      },
    },
  })
  return { unsynced, change }
}
