/**
 * The program that calls a user's function in Python 3.8 or later. A line of JSON is a question, `{nonce, content}`, and one
 * on the standard output that it began with is the answer. What the user's code prints goes to standard error, and it reads
 * nothing from standard input.
 */
export const PYTHON_RUNNER = `
import asyncio, importlib.util, inspect, json, math, os, sys, traceback, types

questions = os.fdopen(os.dup(0), encoding='utf-8')
answers = os.fdopen(os.dup(1), 'w', encoding='utf-8')
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)
folder, function, signature = '', None, 'trl'


def told(error):
    """The error with the last line of the user's files that it comes from."""
    text = (str(error).strip().split('\\n') or [''])[0]
    place = ''
    if isinstance(error, SyntaxError) and error.filename:
        place, text = f'{os.path.relpath(error.filename, folder)}:{error.lineno}: ', error.msg
    else:
        frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.startswith(folder + os.sep)]
        if frames:
            place = f'{os.path.relpath(frames[-1].filename, folder)}:{frames[-1].lineno}: '
    return f'{place}{type(error).__name__}' + (f': {text}' if text else '')


def load(path, name, how):
    global folder, function, signature
    folder, signature = os.path.dirname(path), how
    sys.argv = [path]
    sys.path.insert(0, folder)
    stem = os.path.splitext(os.path.basename(path))[0]
    try:
        spec = importlib.util.spec_from_file_location(stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[stem] = module
        spec.loader.exec_module(module)
    except BaseException as error:
        return {'type': 'refused', 'rule': f'fails: {told(error)}; correct it'}
    function = getattr(module, name, None)
    if callable(function):
        return {'type': 'ready'}
    there = [key for key, one in vars(module).items() if inspect.isfunction(one) and one.__module__ == stem]
    rule = f'has no function {name}; it has {", ".join(there) or "none"}'
    return {'type': 'refused', 'rule': rule, 'facts': {'key': 'function', 'value': name}}


def accepted(given):
    """Without what a function takes that has no **kwargs."""
    parameters = inspect.signature(function).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return given
    names = {one.name for one in parameters}
    return {key: value for key, value in given.items() if key in names}


def as_trl(given, logs):
    count = len(given['completions'])
    given['trainer_state'] = types.SimpleNamespace(**given['trainer_state'])
    given['log_extra'] = lambda column, values: logs['columns'].append([column, list(values)])
    given['log_metric'] = lambda name, value: logs['metrics'].append([name, [plain(value)]])
    values = function(**accepted(given))
    if inspect.isawaitable(values):
        values = asyncio.run(values)
    values = values.tolist() if hasattr(values, 'tolist') else values
    if values is None:
        return [None] * count
    return values if isinstance(values, str) else list(values)


def as_verl(given):
    scores = []
    for i, completion in enumerate(given['completions']):
        text = completion if isinstance(completion, str) else completion[-1]['content']
        extra = given['extra_info'][i] if 'extra_info' in given else {}
        source = given['data_source'][i] if 'data_source' in given else None
        score = function(**accepted(dict(
            data_source=source, solution_str=text, ground_truth=given['answer'][i], extra_info=extra)))
        scores.append(score['score'] if isinstance(score, dict) else score)
    return scores


def plain(value):
    """A number as JSON has it; what is none is left for the run to refuse."""
    if value is None or isinstance(value, str):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return repr(value)[:80]
    return number if math.isfinite(number) else str(number)


def score(given):
    logs = {'columns': [], 'metrics': []}
    try:
        values = as_verl(given) if signature == 'verl' else as_trl(given, logs)
        listed = values if isinstance(values, str) else [plain(value) for value in values]
        return {'type': 'scores', 'values': listed, 'logs': logs}
    except BaseException as error:
        return {'type': 'threw', 'thrown': told(error)}


for line in questions:
    question = json.loads(line)
    content = question['content']
    answer = load(**content['load']) if 'load' in content else score(content['score'])
    answers.write(json.dumps({'nonce': question['nonce'], 'content': answer}, default=str) + '\\n')
    answers.flush()
`;
