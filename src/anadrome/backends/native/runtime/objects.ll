@PyArray_Type = external global i8
@PyFloat_Type = external global i8
@PyExc_Exception = external global ptr
@PyList_Type = external global i8
@PyLong_Type = external global i8
@_Py_FalseStruct = external global i8
@_Py_TrueStruct = external global i8
@"anadrome.unexpected" = external global ptr
@"anadrome.read_bool" = external global ptr
@"anadrome.read_float" = external global ptr
@"anadrome.read_integer" = external global ptr

declare ptr @"anadrome.allocate"(ptr, i64)
declare void @PyErr_SetString(ptr, ptr)
declare ptr @"anadrome.take_context"()
declare void @"anadrome.give_context"(ptr)
declare ptr @PyArray_DescrFromType(i32)
declare ptr @PyArray_Scalar(ptr, ptr, ptr)
declare i32 @PyErr_ExceptionMatches(ptr)
declare void @PyErr_Clear()
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_NormalizeException(ptr, ptr, ptr)
declare i32 @PyErr_GivenExceptionMatches(ptr, ptr)
declare ptr @PyErr_NoMemory()
declare ptr @PyErr_Occurred()
declare void @PyErr_SetObject(ptr, ptr)
declare i32 @PyException_SetTraceback(ptr, ptr)
declare double @PyFloat_AsDouble(ptr)
declare ptr @PyList_GetItem(ptr, i64)
declare i64 @PyList_Size(ptr)
declare i64 @PyLong_AsLongLong(ptr)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyObject_CallFunctionObjArgs(ptr, ...)
declare ptr @PyObject_GetItem(ptr, ptr)
declare i64 @PyObject_Size(ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare ptr @PyTuple_New(i64)
declare i32 @PyType_IsSubtype(ptr, ptr)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare void @Py_DecRef(ptr)
declare void @Py_IncRef(ptr)

; A block that stands for an object, whose reference it takes over.
define ptr @"anadrome.box"(ptr %context, ptr %object) {
entry:
  %missing = icmp eq ptr %object, null
  br i1 %missing, label %none, label %some
some:
  %block = call ptr @"anadrome.allocate"(ptr %context, i64 0)
  %full = icmp eq ptr %block, null
  br i1 %full, label %memory, label %good
good:
  %place = getelementptr ptr, ptr %block, i64 4
  store ptr %object, ptr %place
  ret ptr %block
memory:
  call void @Py_DecRef(ptr %object)
  %ignored = call ptr @PyErr_NoMemory()
  br label %none
none:
  ret ptr null
}

; A NumPy number of a type from the memory that holds it.
define ptr @"anadrome.number_object"(ptr %data, i32 %number) {
  %descr = call ptr @PyArray_DescrFromType(i32 %number)
  %made = call ptr @PyArray_Scalar(ptr %data, ptr %descr, ptr null)
  call void @Py_DecRef(ptr %descr)
  ret ptr %made
}

define i32 @"anadrome.as_float"(ptr %object, ptr %out) {
entry:
  %typep = getelementptr ptr, ptr %object, i64 1
  %type = load ptr, ptr %typep
  %exact = icmp eq ptr %type, @PyFloat_Type
  br i1 %exact, label %direct, label %derived
derived:
  ; NumPy's double precision numbers are Python's too.
  %is = call i32 @PyType_IsSubtype(ptr %type, ptr @PyFloat_Type)
  %float = icmp ne i32 %is, 0
  br i1 %float, label %direct, label %ask
direct:
  %place = getelementptr double, ptr %object, i64 2
  %value = load double, ptr %place
  store double %value, ptr %out
  ret i32 0
ask:
  %read = load ptr, ptr @"anadrome.read_float"
  %found = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %read, ptr %object,
                                                             ptr null)
  %none = icmp eq ptr %found, null
  br i1 %none, label %bad, label %good
good:
  %number = call double @PyFloat_AsDouble(ptr %found)
  store double %number, ptr %out
  call void @Py_DecRef(ptr %found)
  ret i32 0
bad:
  ret i32 -1
}

define i32 @"anadrome.as_integer"(ptr %object, ptr %out) {
entry:
  %typep = getelementptr ptr, ptr %object, i64 1
  %type = load ptr, ptr %typep
  %exact = icmp eq ptr %type, @PyLong_Type
  br i1 %exact, label %direct, label %ask
direct:
  %made = call i64 @PyLong_AsLongLong(ptr %object)
  store i64 %made, ptr %out
  %suspicious = icmp eq i64 %made, -1
  br i1 %suspicious, label %check, label %good
check:
  %error = call ptr @PyErr_Occurred()
  %failed = icmp ne ptr %error, null
  br i1 %failed, label %large, label %good
large:
  call void @PyErr_Clear()
  br label %ask
ask:
  %read = load ptr, ptr @"anadrome.read_integer"
  %found = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %read, ptr %object,
                                                             ptr null)
  %none = icmp eq ptr %found, null
  br i1 %none, label %bad, label %read_it
read_it:
  %number = call i64 @PyLong_AsLongLong(ptr %found)
  store i64 %number, ptr %out
  call void @Py_DecRef(ptr %found)
  %late = call ptr @PyErr_Occurred()
  %overflow = icmp ne ptr %late, null
  br i1 %overflow, label %bad, label %good
good:
  ret i32 0
bad:
  ret i32 -1
}

; Whether a truth value is true; negative if it is something else.
define i32 @"anadrome.as_bool"(ptr %object) {
entry:
  %true = icmp eq ptr %object, @_Py_TrueStruct
  %false = icmp eq ptr %object, @_Py_FalseStruct
  %known = or i1 %true, %false
  br i1 %known, label %direct, label %ask
direct:
  %answer = zext i1 %true to i32
  ret i32 %answer
ask:
  %read = load ptr, ptr @"anadrome.read_bool"
  %found = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %read, ptr %object,
                                                             ptr null)
  %none = icmp eq ptr %found, null
  br i1 %none, label %bad, label %good
good:
  %holds = icmp eq ptr %found, @_Py_TrueStruct
  call void @Py_DecRef(ptr %found)
  %result = zext i1 %holds to i32
  ret i32 %result
bad:
  ret i32 -1
}

@another_form = internal constant [63 x i8]
  c"a result of unexpected form: what decides on it must be static\00"

define void @"anadrome.refuse_template"() {
  %type = load ptr, ptr @"anadrome.unexpected"
  call void @PyErr_SetString(ptr %type, ptr @another_form)
  ret void
}

; Zero if an object has so many items to take apart; an array has none.
define i32 @"anadrome.check_parts"(ptr %object, i64 %count) {
entry:
  %typep = getelementptr ptr, ptr %object, i64 1
  %type = load ptr, ptr %typep
  %array = icmp eq ptr %type, @PyArray_Type
  br i1 %array, label %refuse, label %ask
ask:
  %size = call i64 @PyObject_Size(ptr %object)
  %negative = icmp slt i64 %size, 0
  br i1 %negative, label %unsized, label %compare
compare:
  %same = icmp eq i64 %size, %count
  br i1 %same, label %good, label %refuse
good:
  ret i32 0
unsized:
  call void @PyErr_Clear()
  br label %refuse
refuse:
  call void @"anadrome.refuse_template"()
  ret i32 -1
}

; An item at an integer.
define ptr @"anadrome.get_index"(ptr %object, i64 %index) {
entry:
  %typep = getelementptr ptr, ptr %object, i64 1
  %type = load ptr, ptr %typep
  %exact = icmp eq ptr %type, @PyList_Type
  br i1 %exact, label %list, label %other
list:
  %n = call i64 @PyList_Size(ptr %object)
  %negative = icmp slt i64 %index, 0
  %from = add i64 %index, %n
  %at = select i1 %negative, i64 %from, i64 %index
  %item = call ptr @PyList_GetItem(ptr %object, i64 %at)
  %missing = icmp eq ptr %item, null
  br i1 %missing, label %bad, label %good
good:
  call void @Py_IncRef(ptr %item)
  ret ptr %item
other:
  %key = call ptr @PyLong_FromLongLong(i64 %index)
  %found = call ptr @PyObject_GetItem(ptr %object, ptr %key)
  call void @Py_DecRef(ptr %key)
  ret ptr %found
bad:
  ret ptr null
}

; The exception of a status, as an object.
define ptr @"anadrome.catch"(i32 %status, ptr %explain, ptr %context) {
entry:
  %python = icmp eq i32 %status, -1
  br i1 %python, label %fetch, label %make
fetch:
  %type = alloca ptr
  %value = alloca ptr
  %trace = alloca ptr
  call void @PyErr_Fetch(ptr %type, ptr %value, ptr %trace)
  call void @PyErr_NormalizeException(ptr %type, ptr %value, ptr %trace)
  %t = load ptr, ptr %type
  %error = load ptr, ptr %value
  %b = load ptr, ptr %trace
  call void @Py_DecRef(ptr %t)
  %plain = icmp eq ptr %b, null
  br i1 %plain, label %done, label %traced
traced:
  %ignored = call i32 @PyException_SetTraceback(ptr %error, ptr %b)
  call void @Py_DecRef(ptr %b)
  br label %done
done:
  ret ptr %error
make:
  %wide = sext i32 %status to i64
  %number = call ptr @PyLong_FromLongLong(i64 %wide)
  %address = ptrtoint ptr %context to i64
  %where = call ptr @PyLong_FromLongLong(i64 %address)
  %made = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %explain, ptr %number,
                                                            ptr %where, ptr null)
  call void @Py_DecRef(ptr %number)
  call void @Py_DecRef(ptr %where)
  ret ptr %made
}

; Whether a handler is for an exception; none is for what the compiler got wrong.
define i32 @"anadrome.matches"(ptr %error, ptr %classes) {
entry:
  %typep = getelementptr ptr, ptr %error, i64 1
  %type = load ptr, ptr %typep
  %own = load ptr, ptr @"anadrome.unexpected"
  %is = icmp eq ptr %type, %own
  br i1 %is, label %no, label %ask
ask:
  %found = call i32 @PyErr_GivenExceptionMatches(ptr %error, ptr %classes)
  ret i32 %found
no:
  ret i32 0
}

; Set an exception again.
define i32 @"anadrome.raise"(ptr %error) {
  %typep = getelementptr ptr, ptr %error, i64 1
  %type = load ptr, ptr %typep
  call void @PyErr_SetObject(ptr %type, ptr %error)
  ret i32 -1
}

; One call: `constants` begins with what explains a status, what takes other
; arguments, what says where Python raised, and what the program falls back to.
define ptr @"anadrome.enter"(ptr %call, ptr %args, i64 %given, i64 %wanted,
                             ptr %constants, i32 %assumes) {
entry:
  %out = alloca ptr
  store ptr null, ptr %out
  %right = icmp eq i64 %given, %wanted
  br i1 %right, label %take, label %other
take:
  %context = call ptr @"anadrome.take_context"()
  %full = icmp eq ptr %context, null
  br i1 %full, label %memory, label %run
run:
  %status = call i32 %call(ptr %context, ptr %args, ptr %out)
  %sitep = getelementptr i64, ptr %context, i64 58
  %site = load i64, ptr %sitep
  %fine = icmp eq i32 %status, 0
  br i1 %fine, label %leave, label %failed
leave:
  call void @"anadrome.give_context"(ptr %context)
  %result = load ptr, ptr %out
  ret ptr %result
failed:
  %mismatch = icmp eq i32 %status, 1073741824
  br i1 %mismatch, label %back, label %raise
back:
  call void @"anadrome.give_context"(ptr %context)
  br label %other
raise:
  %guess = icmp ne i32 %assumes, 0
  br i1 %guess, label %doubt, label %explain
doubt:
  %raised = icmp eq i32 %status, -1
  br i1 %raised, label %judge, label %retry
judge:
  %general = load ptr, ptr @PyExc_Exception
  %ordinary = call i32 @PyErr_ExceptionMatches(ptr %general)
  %stop = icmp eq i32 %ordinary, 0
  br i1 %stop, label %explain, label %forget
forget:
  call void @PyErr_Clear()
  br label %retry
retry:
  call void @"anadrome.give_context"(ptr %context)
  %deoptimisep = getelementptr ptr, ptr %constants, i64 3
  %deoptimise = load ptr, ptr %deoptimisep
  %second = call ptr @PyObject_Vectorcall(ptr %deoptimise, ptr %args, i64 %given, ptr null)
  ret ptr %second
explain:
  %explainer = load ptr, ptr %constants
  %error = call ptr @"anadrome.catch"(i32 %status, ptr %explainer, ptr %context)
  %lost = icmp eq ptr %error, null
  br i1 %lost, label %gone, label %locate
locate:
  %python = icmp eq i32 %status, -1
  %known = icmp ne i64 %site, 0
  %say = and i1 %python, %known
  br i1 %say, label %note, label %set
note:
  %locatep = getelementptr ptr, ptr %constants, i64 2
  %locator = load ptr, ptr %locatep
  %number = call ptr @PyLong_FromLongLong(i64 %site)
  %noted = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %locator, ptr %error,
                                                             ptr %number, ptr null)
  call void @Py_DecRef(ptr %number)
  %unnoted = icmp eq ptr %noted, null
  br i1 %unnoted, label %clear, label %release
clear:
  call void @PyErr_Clear()
  br label %set
release:
  call void @Py_DecRef(ptr %noted)
  br label %set
set:
  %ignored = call i32 @"anadrome.raise"(ptr %error)
  call void @Py_DecRef(ptr %error)
  call void @give_context_keeping_error(ptr %context)
  ret ptr null
gone:
  call void @give_context_keeping_error(ptr %context)
  ret ptr null
memory:
  %none = call ptr @PyErr_NoMemory()
  ret ptr null
other:
  %slowp = getelementptr ptr, ptr %constants, i64 1
  %slow = load ptr, ptr %slowp
  %tuple = call ptr @PyTuple_New(i64 %given)
  br label %items
items:
  %k = phi i64 [ 0, %other ], [ %k1, %item ]
  %more = icmp slt i64 %k, %given
  br i1 %more, label %item, label %go
item:
  %ap = getelementptr ptr, ptr %args, i64 %k
  %a = load ptr, ptr %ap
  call void @Py_IncRef(ptr %a)
  %s = call i32 @PyTuple_SetItem(ptr %tuple, i64 %k, ptr %a)
  %k1 = add i64 %k, 1
  br label %items
go:
  %answer = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %slow, ptr %tuple,
                                                              ptr null)
  call void @Py_DecRef(ptr %tuple)
  ret ptr %answer
}

declare void @PyErr_Restore(ptr, ptr, ptr)

; References that are given up may run Python code, which must see no exception.
define internal void @give_context_keeping_error(ptr %context) {
  %type = alloca ptr
  %value = alloca ptr
  %trace = alloca ptr
  call void @PyErr_Fetch(ptr %type, ptr %value, ptr %trace)
  call void @"anadrome.give_context"(ptr %context)
  %t = load ptr, ptr %type
  %v = load ptr, ptr %value
  %b = load ptr, ptr %trace
  call void @PyErr_Restore(ptr %t, ptr %v, ptr %b)
  ret void
}
