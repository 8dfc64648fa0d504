/** The requests of a recording: when their bytes left, when their answers had come, and what the service did. */

const lower = (id) => id.toLowerCase()

/** The ids that a request is about, in lower case. */
function idsOf(url, body) {
  const [, id] = /\/(?:contacts|tickets)\/([0-9a-fA-F]{24})\//.exec(url) ?? []
  return id === undefined ? (JSON.parse(body || '{}').contactIds ?? []).map(lower) : [lower(id)]
}

/** `sentAt`, `answeredAt`: places in the log; Infinity without an answer. `entry`: what the service recorded. */
export function readTraffic({ events, requests, entries }) {
  const open = new Map()
  const all = []
  for (const [index, { send, receive, connection, pid }] of events.entries()) {
    const key = `${pid} ${connection}`
    const request = open.get(key)
    if (send !== undefined) {
      const [, method, url] = /^([A-Z]+) (\S+) HTTP\/1\.1\r\n/.exec(send) ?? []
      if (method === undefined) request.text += send
      else {
        const begun = { method, url, text: send, sentAt: index, answeredAt: Infinity, answer: '' }
        open.set(key, begun)
        all.push(begun)
      }
    }
    if (receive !== undefined) {
      request.answeredAt = index
      request.answer += receive
    }
  }
  const arrivals = requests.map((arrived) => ({ ...arrived, entry: entries.find(({ n }) => n === arrived.n) }))
  for (const request of all) {
    request.body = request.text.slice(request.text.indexOf('\r\n\r\n') + 4)
    request.ids = idsOf(request.url, request.body)
    request.isWrite = request.method !== 'GET'
  }
  // One that was cut off before it arrived, by a kill, has none: what was answered arrived, so those without an answer have what
  // is left of the same. Bodies of refused ones are not kept: they come last.
  for (const isOf of [(arrived, { body }) => arrived.body === body, (arrived) => arrived.body === '']) {
    const isLike = (one, request) => one.url === request.url && one.method === request.method && isOf(one, request)
    for (const request of all.filter(({ entry }) => entry === undefined)) {
      const mine = arrivals.filter((arrived) => isLike(arrived, request))
      const isOther = (one) => one !== request && one.entry === undefined && one.answeredAt < Infinity
      const others = all.filter((one) => isOther(one) && mine.some((arrived) => isLike(arrived, one)))
      const owed = request.answeredAt < Infinity ? 0 : others.length
      if (mine.length > owed) request.entry = arrivals.splice(arrivals.indexOf(mine[0]), 1)[0].entry
    }
  }
  return all
}

/** The requests of what is left of `waiting` were never seen to leave: the recorder does not see all of them. */
export function assertAllSeen(traffic, requests) {
  const seen = traffic.filter(({ entry }) => entry !== undefined).length
  if (seen !== requests.length)
    throw new Error(`the service received ${requests.length} requests, the log has ${seen} of them`)
}
