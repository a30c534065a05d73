"""Run the cases in eager CPU and through torch.compile(backend=...), and compare.

    python run_cases.py BACKEND [name ...]        BACKEND: eager, aot_eager, inductor, neuron, ...
      --import MODULE   import MODULE first (a backend that registers itself on import)
      --area A          only this area;   --core  the smaller selection;   --list
      --known           the KNOWN book instead (the aot_eager baseline fails these too)
      --timeout S       seconds a case (default 120);   --json FILE   write the results
      --isolate         one process a case (default: a worker is replaced only when it
                        hangs or dies)
Exit status 0 when every case passes.  REFUSED: the backend raised NEFFCompilationError
and named what it cannot compile.
"""
import argparse
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
MARK = "@@case "


# ------------------------------------------------------------------ worker
class Result:
    """What one sequence of calls left behind."""

    def __init__(self):
        self.calls, self.grads, self.state, self.args = [], [], {}, []

    @property
    def outs(self):
        return self.calls[-1]


def _tensors(tree):
    import torch
    from torch.utils import _pytree
    return [t for t in _pytree.tree_leaves(tree) if isinstance(t, torch.Tensor)]


def _snapshot(tree):
    import torch
    from torch.utils import _pytree
    return _pytree.tree_map(
        lambda t: t.detach().clone() if isinstance(t, torch.Tensor) else t, tree)


def _alias(out, args):
    """For each output tensor: the arguments and earlier outputs whose storage it shares."""
    outs, ins = _tensors(out), _tensors(args)
    key = lambda t: t.untyped_storage().data_ptr()
    return [([i for i, a in enumerate(ins) if key(a) == key(o) and o.numel()],
             [j for j, p in enumerate(outs[:k]) if key(p) == key(o) and o.numel()],
             o.storage_offset(), tuple(o.stride())) for k, o in enumerate(outs)]


def _execute(entry, wrap):
    import torch
    torch.manual_seed(0)
    fn, args = entry["make"]()
    more = entry["more"]() if entry.get("more") else []
    run = wrap(fn)
    res = Result()
    torch.manual_seed(1)
    for number, call in enumerate([args] + list(more)):
        if callable(call):
            call = call(fn)
        quiet = number == 0 and entry.get("first_no_grad", False)
        with torch.set_grad_enabled(not quiet):
            out = run(*call)
        if entry.get("alias"):
            res.calls.append(("alias", _alias(out, call)))
        if entry["train"] and not quiet:
            terms = []
            for t in _tensors(out):
                if t.requires_grad:
                    w = 1.0 if entry.get("plain_sum") else torch.cos(
                        torch.arange(t.numel(), dtype=torch.float32)).view(t.shape)
                    terms.append((t.float() * w).sum())
            sum(terms).backward()
        if entry.get("after"):
            with torch.no_grad():
                entry["after"](out, call)
        res.calls.append(_snapshot(out))
        res.args.append(_snapshot([(t, t._base) for t in _tensors(call)]))
        res.grads += [t.grad for t in _tensors(call) if t.is_leaf and t.requires_grad]
    if isinstance(fn, torch.nn.Module):
        res.state = _snapshot(dict(fn.state_dict()))
        res.grads += [p.grad for p in fn.parameters() if p.requires_grad]
    res.grads = _snapshot(res.grads)
    return res


def _differ(got, ref, tol, where):
    """None, or the first difference."""
    import torch
    if isinstance(ref, torch.Tensor):
        if not isinstance(got, torch.Tensor):
            return f"{where}: {type(got).__name__} for a tensor"
        if got.dtype != ref.dtype:
            return f"{where}: dtype {got.dtype}, eager {ref.dtype}"
        if got.shape != ref.shape:
            return f"{where}: shape {tuple(got.shape)}, eager {tuple(ref.shape)}"
        if "float8" in str(ref.dtype):
            got, ref = got.float(), ref.float()
        loose = ref.is_floating_point() or ref.is_complex()
        try:
            torch.testing.assert_close(got, ref, equal_nan=True, check_stride=False,
                                       rtol=tol[0] if loose else 0, atol=tol[1] if loose else 0)
        except AssertionError as e:
            short = " ".join(str(e).split())
            if got.numel() <= 12:
                short += f" | got {got.tolist()} eager {ref.tolist()}"
            return f"{where}: {short}"[:400]
        return None
    if isinstance(ref, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(ref):
            return f"{where}: {type(got).__name__} of other length, eager {type(ref).__name__}"
        for i, (g, r) in enumerate(zip(got, ref)):
            d = _differ(g, r, tol, f"{where}[{i}]")
            if d:
                return d
        return None
    if isinstance(ref, dict):
        if not isinstance(got, dict) or set(got) != set(ref):
            return f"{where}: keys differ"
        for k in ref:
            d = _differ(got[k], ref[k], tol, f"{where}[{k!r}]")
            if d:
                return d
        return None
    if type(got) is not type(ref) or got != ref:
        return f"{where}: {got!r}, eager {ref!r}"
    return None


def _refusal(error):
    """What a NEFFCompilationError in the chain names: "overload (reason), ..."; else None."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if type(error).__name__ == "NEFFCompilationError":
            return ", ".join(f"{target} ({reason})"
                             for target, reason in getattr(error, "unsupported", None) or [])
        error = getattr(error, "inner_exception", None) or error.__cause__ or error.__context__
    return None


def run_one(entry, backend):
    import torch
    torch._dynamo.reset()
    try:
        ref = _execute(entry, lambda f: f)
        ref_error = None
    except Exception as e:
        ref, ref_error = None, e
    if entry.get("raises"):
        if ref_error is None:
            return "FAIL", "eager did not raise"
    elif ref_error is not None:
        return "ERROR", f"eager itself: {ref_error!r}"[:400]
    wrap = lambda f: torch.compile(f, backend=backend, dynamic=entry.get("dynamic"))
    try:
        got = _execute(entry, wrap)
    except Exception as e:
        if entry.get("raises"):
            return "PASS", ""
        refused = _refusal(e)
        if refused:
            return "REFUSED", refused
        tail = traceback.extract_tb(e.__traceback__)[-1]
        return "ERROR", (f"{type(e).__name__}: {' '.join(str(e).split())}"[:360]
                         + f" ({os.path.basename(tail.filename)}:{tail.lineno})")
    if entry.get("raises"):
        return "FAIL", "eager raises, the compiled function does not"
    if entry.get("check"):
        for who, r in (("eager", ref), ("compiled", got)):
            message = entry["check"](r)
            if message:
                return "FAIL", f"{who}: {message}"
    if entry.get("compare") is False:
        return "PASS", ""
    for what in ("calls", "args", "grads", "state"):
        d = _differ(getattr(got, what), getattr(ref, what), entry["tol"], what)
        if d:
            return "FAIL", d
    return "PASS", ""


def worker(opts):
    import importlib

    import torch
    torch.set_num_threads(int(os.environ.get("CASES_THREADS", "2")))
    sys.path[:0] = [HERE, os.getcwd()]
    for name in opts.imports:
        importlib.import_module(name)
    import cases
    book = {**cases.CASES, **cases.KNOWN}
    from torch._dynamo.utils import counters
    for name in opts.names:
        print(MARK + json.dumps(["start", name]), flush=True)
        counters.clear()
        began = time.time()
        try:
            status, why = run_one(book[name], opts.backend)
        except BaseException as e:  # a runner fault must not look like a pass
            status, why = "ERROR", f"runner: {e!r}"[:400]
        graphs = counters["stats"].get("unique_graphs", 0)
        print(MARK + json.dumps(["done", name, status, why, graphs, time.time() - began]),
              flush=True)


# ------------------------------------------------------------------ parent
def drive(opts, names):
    results, left = {}, list(names)
    env = dict(os.environ, OMP_NUM_THREADS="2", TORCHINDUCTOR_COMPILE_THREADS="1",
               PYTHONWARNINGS="ignore")
    env.setdefault("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "1")  # nothing served from before
    while left:
        batch = left[:1] if opts.isolate else left
        cmd = [sys.executable, os.path.abspath(__file__), opts.backend, "--worker"]
        for m in opts.imports:
            cmd += ["--import", m]
        errors = tempfile.TemporaryFile("w+")
        proc = subprocess.Popen(cmd + batch, stdout=subprocess.PIPE, stderr=errors, text=True,
                                env=env)
        lines = queue.Queue()

        def pump(p=proc, q=lines):
            for line in p.stdout:
                q.put(line)
            q.put(None)
        threading.Thread(target=pump, daemon=True).start()
        current, limit = None, opts.timeout + 60  # the first case waits for the imports
        while True:
            try:
                line = lines.get(timeout=limit)
            except queue.Empty:
                proc.kill()
                name = current or batch[0]
                results[name] = ["TIMEOUT", f"more than {opts.timeout} s", 0, float(opts.timeout)]
                break
            if line is None:
                proc.wait()
                if current:
                    errors.seek(0)
                    tail = " ".join(errors.read()[-300:].split())
                    results[current] = ["CRASH", f"exit {proc.returncode}: {tail}", 0, 0.0]
                elif not any(n in results for n in batch):
                    errors.seek(0)
                    sys.exit("the worker did not start:\n" + errors.read()[-3000:])
                break
            if not line.startswith(MARK):
                continue
            event = json.loads(line[len(MARK):])
            if event[0] == "start":
                current, limit = event[1], opts.timeout
            else:
                results[event[1]] = event[2:]
                current = None
                if opts.verbose:
                    print(f"  {event[2]:7} {event[1]}", file=sys.stderr, flush=True)
        proc.wait()
        left = [n for n in left if n not in results]
    return results


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("backend")
    p.add_argument("names", nargs="*")
    p.add_argument("--import", dest="imports", action="append", default=[])
    p.add_argument("--area")
    p.add_argument("--known", action="store_true")
    p.add_argument("--core", action="store_true")
    p.add_argument("--list", action="store_true")
    p.add_argument("--isolate", action="store_true")
    p.add_argument("--timeout", type=float, default=120)
    p.add_argument("--json")
    p.add_argument("-v", "--verbose", action="store_true")
    p.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    opts = p.parse_intermixed_args()
    if opts.worker:
        return worker(opts)
    sys.path.insert(0, HERE)
    import cases
    book = cases.KNOWN if opts.known else cases.CASES
    everything = {**cases.CASES, **cases.KNOWN}
    unknown = [n for n in opts.names if n not in everything]
    if unknown:
        sys.exit(f"no such case: {', '.join(unknown)}")
    names = opts.names or [n for n in book if opts.area in (None, book[n]["area"])
                           and (not opts.core or n in cases.CORE)]
    if opts.list:
        for n in names:
            print(f"{n:45} {everything[n]['area']:9} {everything[n]['source']}")
        return 0
    results = drive(opts, names)
    print(f"{'case':44} {'area':9} {'result':7} {'graphs':>6} {'s':>6}  why")
    for n in names:
        status, why, graphs, seconds = results[n]
        print(f"{n:44} {everything[n]['area']:9} {status:7} {graphs:6} {seconds:6.1f}  {why}")
    tally = {}
    for n in names:
        tally[results[n][0]] = tally.get(results[n][0], 0) + 1
    print(f"\nbackend {opts.backend}: {len(names)} cases, "
          + ", ".join(f"{v} {k}" for k, v in sorted(tally.items())))
    if opts.json:
        with open(opts.json, "w") as f:
            json.dump({n: dict(source=everything[n]["source"], area=everything[n]["area"],
                               status=results[n][0], why=results[n][1], graphs=results[n][2],
                               seconds=round(results[n][3], 2)) for n in names}, f, indent=1)
    return 0 if set(tally) <= {"PASS"} else 1


if __name__ == "__main__":
    sys.exit(main())
