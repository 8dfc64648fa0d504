/** The fault language in words. Nothing is imported here, so that help costs nothing to load; a test compares it. */
export const faultsHelp = `Faults: comma-separated rules <operation>:<when>=<fault>, and settings.
  operation  * or a noun (lists.*) or one of lists.list, lists.create,
             lists.get, lists.update, lists.add-contacts, contacts.merge,
             contacts.delete, tickets.history, tickets.assign, employees.list
  when       n, n-m, n+, every-n or p% of the matching requests, counted from 1;
             default: all (p% is random, the same for the same seed)
  settings   clock=-6m (the service's clock is off), rate=10/s (429 beyond it),
             idle-close=100ms (close a connection that is idle for that
             long), latency=50ms, seed=7
  fault
    503                   any status from 100 to 599; in parentheses:
                          retry-after=2 (or any text, or date+5s),
                          body=json|html|empty, code=n, message=text, apply
    drop-before           close the connection, nothing applied
    drop-after-apply      apply it, close the connection without an answer
    drop-mid(at=n)        apply it, cut the body after n bytes (half of
                          it); whole-at=n counts from the status line, chunked
                          sends no Content-Length
    reset(apply)          TCP reset; with apply, after it was applied
    delay(500ms, before)  apply it at once and answer later; with before,
                          wait first, and apply it even if nobody waits
    drip(100ms)           send the body byte by byte
    duplicate(5ms)        send the answer again 5 ms later, on the same
                          connection
    hang-before           never answer, nothing applied (also: hang)
    hang-after-apply      apply it and never answer
    late(300ms)           never answer, and apply it 300 ms after the
                          client disconnects
    apply-half            apply the first half of a bulk request, then
                          answer 500
    truncated-json        a complete answer with half of its JSON
    invalid-json          a body that is not JSON
    invalid-utf8          bytes in a string that are not UTF-8
    garbage-after         the JSON, followed by more
    html(apply)           200 with a proxy's page, nothing applied
    content-type(text/plain)
                          another Content-Type; empty: none
    content-length(+5)    a Content-Length that is wrong by +n or -n bytes
    empty                 an empty body
    null                  the body \`null\`
    missing-data          the body \`{}\`
    wrong-shape           text for numbers, numbers for text, objects for arrays
    unknown-fields        more fields in every object, __proto__ and
                          constructor among them
    huge(300MB)           valid JSON with this much padding
    deep(100000)          valid JSON, nested this deep
    gzip                  Content-Encoding: gzip, although nobody asked for it
    redirect(url, 307)    send the client elsewhere, nothing applied
    date(<value>)         this Date header
    no-date               no Date header
    number-ids            numbers where ids are
    wrong-sums            bulk counts that do not add up
    foreign-ids           ids in the answer that were not asked for
    lower-case            every id in lower case
    upper-case            every id in upper case
    cursor-loop           cursors of a history that form a loop
    cursor-same           the cursor that was sent comes back
    cursor-exclusive      the cursor is the last message given; the last chunk
                          may be empty (also allowed)
    cursor-overlap        each chunk begins with the last message of the one
                          before (also allowed)
    chunk-size(50)        messages per chunk, instead of 20
    page-lies             an empty page that says hasNext
    employees(1000)       number of employees in the answer
  In the parentheses of every fault:
    before-auth   strike before the signature is checked, instead of after
    apply         apply the operation all the same: 500(apply),
                  503(retry-after=2, apply)
    no-apply      do not apply it
    late=300ms    apply it 300 ms after the answer or the end of the
                  connection: 503(late=300ms), drop-before(late=300ms)
`
