// The form that steps through a batch of questions, as pure functions over plain states: no drawing in here.
// It mirrors tohlab/questions/composer.py, and the same recorded traces are the judge of both.
//
// A question here is {multi, options: [{same}]}. Options are known by their index; `same` is the index of the
// first option that carries the same label, because a label is what an answer is made of.

export const UNANSWERED = "Please select an option or enter a custom answer.";
export const INCOMPLETE = "Please complete this question first.";

const EMPTY = Object.freeze({ selected: [], custom: "", skipped: false });

export function start(questions) {
  return { questions, index: 0, drafts: questions.map(() => EMPTY), busy: null, feedback: null, sent: [] };
}

// What is seen.

export const isAnswered = (draft) => draft.selected.length > 0 || draft.custom.trim() !== "";
export const isCompleted = (draft) => isAnswered(draft) || draft.skipped;

export function look(state) {
  const last = state.index === state.questions.length - 1;
  const busy = state.busy !== null;
  const draft = state.drafts[state.index];
  return {
    question: state.questions[state.index],
    draft,
    position: `${state.index + 1} / ${state.questions.length}`,
    last,
    busy,
    primaryLabel: state.busy === "answer" ? "Submitting…" : last ? "Submit" : "Next",
    primaryDisabled: busy || !isAnswered(draft),
    previousDisabled: busy || state.index === 0,
    nextDisabled: busy || last,
    skipDisabled: busy,
    feedback: state.feedback,
  };
}

export function isSelected(state, option) {
  const { options } = state.questions[state.index];
  return state.drafts[state.index].selected.includes(options[option].same);
}

// What a person does. Each gives the next state, or the same one where nothing happens.

export function choose(state, option) {
  if (state.busy) return state;
  const { question, draft, last } = look(state);
  const { same } = question.options[option];
  if (question.multi) {
    const had = draft.selected.includes(same);
    const selected = had ? draft.selected.filter((one) => one !== same) : [...draft.selected, same];
    return withDraft(state, { ...draft, selected, skipped: false });
  }
  const chosen = withDraft(state, { ...EMPTY, selected: [same] });
  return last ? chosen : { ...chosen, index: state.index + 1 };
}

export function write(state, custom) {
  if (state.busy) return state;
  const { question, draft } = look(state);
  return withDraft(state, { selected: question.multi ? draft.selected : [], custom, skipped: false });
}

export function primary(state) {
  if (state.busy) return state;
  const { draft, last } = look(state);
  if (!isAnswered(draft)) return { ...state, feedback: UNANSWERED };
  return last ? submit(state) : { ...state, index: state.index + 1, feedback: null };
}

export function enterOnOption(state) {
  return state.busy || !state.drafts.every(isCompleted) ? state : submit(state);
}

export function skip(state) {
  if (state.busy) return state;
  const skipped = withDraft(state, { ...EMPTY, skipped: true });
  return look(state).last ? submit(skipped) : { ...skipped, index: state.index + 1 };
}

export function previous(state) {
  return look(state).previousDisabled ? state : { ...state, index: state.index - 1, feedback: null };
}

export function next(state) {
  return look(state).nextDisabled ? state : { ...state, index: state.index + 1, feedback: null };
}

export function dismiss(state) {
  if (state.busy) return state;
  return { ...state, busy: "cancel", feedback: null, sent: [...state.sent, { answers: null }] };
}

// What the host says.

export function rejected(state, reason) {
  const what = state.busy === "cancel" ? "cancellation" : "response";
  return failed(state, `question ${what} rejected: ${reason}`);
}

export function failed(state, message) {
  return { ...state, busy: null, feedback: message };
}

function withDraft(state, draft) {
  const drafts = state.drafts.map((old, i) => (i === state.index ? draft : old));
  return { ...state, drafts, feedback: null };
}

function submit(state) {
  const gap = state.drafts.findIndex((draft) => !isCompleted(draft));
  if (gap >= 0) return { ...state, index: gap, feedback: INCOMPLETE };
  const answers = state.questions.map((question, i) => answerOf(question, state.drafts[i]));
  return { ...state, busy: "answer", feedback: null, sent: [...state.sent, { answers }] };
}

function answerOf(question, draft) {
  if (draft.skipped) return { selected: [] };
  const custom = draft.custom.trim();
  if (custom === "") return { selected: draft.selected };
  return { selected: question.multi ? draft.selected : [], custom };
}
