/** A disk that counts the calls which make bytes or names last, or give a file another name, in their order. */
import type { Disk } from '../../src/host.ts'

export function countedCalls() {
  const calls: string[] = []
  const noted =
    <Words extends unknown[], T>(name: string, call: (...words: Words) => T) =>
    (...words: Words): T => {
      calls.push(name)
      return call(...words)
    }
  const change = (disk: Disk): Disk => {
    const { promises, renameSync, linkSync, fstatSync, fsyncSync, fdatasync } = disk
    const syncOf = (isFolder: boolean) => `sync ${isFolder ? 'folder' : 'file'}`
    return {
      ...disk,
      renameSync: noted('rename', renameSync),
      linkSync: noted('link', linkSync),
      fsyncSync(file) {
        calls.push(syncOf(fstatSync(file).isDirectory()))
        fsyncSync(file)
      },
      fdatasync: noted('sync file', fdatasync) as Disk['fdatasync'],
      promises: {
        ...promises,
        rename: noted('rename', promises.rename),
        link: noted('link', promises.link),
        async open(...asked) {
          const opened = await promises.open(...asked)
          const name = syncOf((await opened.stat()).isDirectory())
          opened.sync = noted(name, opened.sync.bind(opened))
          return opened
        },
      },
    }
  }
  return { calls, change }
}
