// A slider asks faster than a server may answer. One question is under way at a time; of those
// asked meanwhile only the newest is kept, and goes out when the answer is there. So every answer
// shown is at most one question old, and the last one shown belongs to the last question.

export interface Latest<A> {
  /** Asks now, or as soon as the question under way is answered. */
  ask(question: A): void;
  /** Forgets the question under way and the one that waits: their answers are not delivered. */
  forget(): void;
}

export function latest<A, R>(
  run: (question: A, signal: AbortSignal) => Promise<R>,
  answered: (answer: R, question: A) => void,
  failed: (error: unknown, question: A) => void,
): Latest<A> {
  let underWay: AbortController | undefined;
  let waiting: { question: A } | undefined;

  function start(question: A): void {
    const controller = new AbortController();
    underWay = controller;
    const settle = (deliver: () => void) => {
      if (underWay !== controller) return;
      underWay = undefined;
      const next = waiting;
      waiting = undefined;
      deliver();
      // deliver() may have asked or forgotten; a question of its own then goes first.
      if (next && underWay === undefined) start(next.question);
    };
    run(question, controller.signal).then(
      (answer) => settle(() => answered(answer, question)),
      (error: unknown) => settle(() => failed(error, question)),
    );
  }

  return {
    ask(question) {
      if (underWay) waiting = { question };
      else start(question);
    },
    forget() {
      waiting = undefined;
      const controller = underWay;
      underWay = undefined;
      controller?.abort();
    },
  };
}
